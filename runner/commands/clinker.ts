#!/usr/bin/env node
import { main } from './clinker-main.ts'
import { runAsProcess } from './program.ts'

await runAsProcess(main)
