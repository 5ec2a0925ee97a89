// Loaded into a measured process: writes its peak resident set (KiB) to descriptor 3 when it ends.
import { writeSync } from 'node:fs'

process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))
