import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { ModuleResolver } from '../../lib/cxl/engine.ts'

/** Finds modules below the rules root. Names are dotted words, so none can lead out of it. */
export function moduleResolver(root: string): ModuleResolver {
  return {
    find(name) {
      if (!/^\w+(\.\w+)*$/.test(name)) return undefined
      const file = `${path.join(root, ...name.split('.'))}.cxl`
      try {
        return { text: readFileSync(file, 'utf8'), file }
      } catch {
        return undefined
      }
    },
  }
}
