import { Command } from 'commander'
import { categories, codes, statuses } from '../../lib/diagnostics/index.ts'
import { codeList, codePage } from '../explain/codes.ts'
import { refuse, type Streams } from './program.ts'

interface Flags {
  code?: string
  list?: boolean
  category?: string
  status?: string
}

/** `clinker explain`: the registry of diagnostic codes. */
export function command({ stdout }: Streams): Command {
  return new Command()
    .description('Explains a diagnostic code, or lists all of them.')
    .argument('[code]', 'the code to explain')
    .option('--code <code>', 'the same')
    .option('--list', 'list the codes')
    .option('--category <category>', `with --list: only ${categories.join(', ')}`)
    .option('--status <status>', `with --list: only ${statuses.join(', ')}`)
    .action((code: string | undefined, flags: Flags) => {
      if (code !== undefined && flags.code !== undefined) refuse('give one code')
      stdout.write(explain(code === undefined ? flags : { ...flags, code }))
    })
}

function explain(flags: Flags): string {
  if (Boolean(flags.list) === (flags.code !== undefined)) refuse('give exactly one of --code and --list')
  if (flags.code !== undefined) {
    if (flags.category !== undefined || flags.status !== undefined) refuse('--category and --status go with --list')
    const entry = codes.get(flags.code)
    if (!entry) refuse(`there is no code "${flags.code}"; ${suggestionFor(flags.code)}`)
    return codePage(entry)
  }
  checkKnown('--category', flags.category, categories)
  checkKnown('--status', flags.status, statuses)
  const wanted = [...codes.values()].filter(
    (entry) =>
      (flags.category === undefined || entry.category === flags.category) &&
      (flags.status === undefined || entry.status === flags.status),
  )
  return codeList(wanted)
}

function suggestionFor(code: string): string {
  const known = [...codes.keys()]
  const near = known.find((each) => each.toLowerCase() === code.toLowerCase())
  return `${near === undefined ? '' : `did you mean ${near}? `}the codes are ${known.join(' ')}`
}

function checkKnown(flag: string, value: string | undefined, known: readonly string[]): void {
  if (value !== undefined && !known.includes(value))
    refuse(`${flag} must be one of ${known.join(', ')}, got "${value}"`)
}
