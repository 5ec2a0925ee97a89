import { clearLine, cursorTo } from 'node:readline'
import type { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import type { Progress } from '../run/run.ts'

/** Draws a line over and over while a run goes on. Silent where nobody looks. Gives the function that takes it away. */
export function showProgress(stream: Writable, progress: () => Progress): () => void {
  if (!isTerminal(stream)) return () => undefined
  const terminal = stream
  const started = performance.now()
  const clear = (): void => {
    cursorTo(terminal, 0)
    clearLine(terminal, 0)
  }
  const draw = (): void => {
    clear()
    terminal.write(progressLine(progress(), (performance.now() - started) / 1000).slice(0, terminal.columns || 80))
  }
  const timer = setInterval(draw, drawEvery)
  timer.unref()
  return () => {
    clearInterval(timer)
    clear()
  }
}

const drawEvery = 200

function isTerminal(stream: Writable): stream is WriteStream {
  return (stream as Partial<WriteStream>).isTTY ?? false
}

/** The line: records, records a second, how much of the files, memory, spilled. */
export function progressLine(progress: Progress, seconds: number): string {
  const { records, bytes, bytesInAll, memory, memoryLimit, spilled } = progress
  const rate = seconds > 0 ? Math.round(records / seconds) : 0
  return [
    `${records} rows`,
    `${rate} rows/s`,
    ...(bytesInAll > 0 ? [`${Math.min(100, Math.floor((bytes / bytesInAll) * 100))} %`] : []),
    `memory ${megabytes(memory)} of ${megabytes(memoryLimit)}`,
    ...(spilled > 0 ? [`spilled ${megabytes(spilled)}`] : []),
  ].join(' · ')
}

/** `12.5 MB`, with binary megabytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}
