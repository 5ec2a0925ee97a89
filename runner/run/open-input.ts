import { open } from 'node:fs/promises'
import type { Readable, Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import { standardStream } from '../plan/paths.ts'
import type { InputFile } from './find-files.ts'
import { reasonOf } from './publication.ts'

/** Bytes read at a time: fewer, larger pieces keep the parser in its fast loop. */
const readAtOnce = 128 * 1024

/** An opened input: the streams to pipe through one after the other, and how many bytes have been read. */
export interface OpenInput {
  readonly streams: readonly [Readable, ...Transform[]]
  readonly bytesRead: () => number
}

/** Opens a file of a source, or standard input, and decompresses it where its name or its first bytes ask for it. */
export async function openInput(file: InputFile, node: string, stdin: Readable): Promise<OpenInput> {
  if (file.path === standardStream) return { streams: [stdin], bytesRead: () => 0 }
  try {
    const handle = await open(file.path)
    const head = Buffer.alloc(4)
    // A pipe cannot be read twice: there the name alone decides.
    const isFile = (await handle.stat()).isFile()
    if (isFile) await handle.read(head, 0, head.length, 0)
    const raw = handle.createReadStream({ highWaterMark: readAtOnce, ...(isFile ? { start: 0 } : {}) })
    return { streams: [raw, ...decompressors(file.name, head, node)], bytesRead: () => raw.bytesRead }
  } catch (error) {
    if (error instanceof ClinkerError) throw error
    throw new ClinkerError('E216', {
      message: `cannot read "${file.name}": ${reasonOf(error)}`,
      node,
      cause: error,
      exit: 4,
    })
  }
}

/** What reading an input failed with: names the file that is no proper compressed one. */
export function inputFailure(error: unknown, name: string, node: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (!code?.startsWith('Z_') && !code?.startsWith('ERR_BROTLI')) return error
  return new ClinkerError('FormatFailure', {
    message: `the compressed file "${name}" is damaged: ${message}`,
    node,
    cause: error,
    exit: 4,
  })
}

function decompressors(name: string, head: Buffer, node: string): Transform[] {
  if (/\.gz$/i.test(name) || (head[0] === 0x1f && head[1] === 0x8b)) {
    return [zlib.createGunzip({ chunkSize: readAtOnce })]
  }
  if (/\.br$/i.test(name)) return [zlib.createBrotliDecompress({ chunkSize: readAtOnce })]
  if (!/\.zst$/i.test(name) && head.readUInt32LE(0) !== zstdMagic) return []
  const { createZstdDecompress } = zlib as unknown as { createZstdDecompress?: () => Transform }
  if (createZstdDecompress) return [createZstdDecompress()]
  throw new ClinkerError('FormatFailure', {
    message: `"${name}" is compressed with zstd, which Node ${process.versions.node} cannot read`,
    node,
    help: 'use Node 22.15 or later, or compress it with gzip',
    exit: 4,
  })
}

/** The first four bytes of a zstd frame. */
const zstdMagic = 0xfd2fb528
