#!/usr/bin/env node
import { main } from './cxl-main.ts'
import { runAsProcess } from './program.ts'

await runAsProcess(main)
