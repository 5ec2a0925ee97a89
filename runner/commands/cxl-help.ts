import { Command } from 'commander'
import { languageList, languagePage, unknownName } from '../explain/language.ts'
import { Exit, type Streams } from './program.ts'

/** `cxl help`: the reference of the language. */
export function command({ stdout }: Streams): Command {
  return new Command()
    .description('Explains a function or a topic of CXL; without a name, lists them.')
    .argument('[name]', 'a function such as pad_left, or a topic such as precedence')
    .action((name: string | undefined) => {
      const page = name === undefined ? languageList() : languagePage(name)
      if (page === undefined) throw new Exit(1, unknownName(name as string))
      stdout.write(page)
    })
}
