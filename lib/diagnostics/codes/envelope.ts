import { category } from './code.ts'

export const envelopeCodes = category(
  'envelope',
  {
    E346: {
      title: 'unknown section in an output',
      explanation:
        'The envelope of an output names a section that the documents do not have, or asks for a count where there is no footer. The known sections are listed.',
      example: 'reconstruct_envelope: { header: haed }',
      fix: 'Use one of the known sections.',
    },
    E347: {
      title: 'envelope with several files',
      explanation: 'An output that puts documents together again writes one file.',
      example: 'config: { reconstruct_envelope: true, split: { max_records: 100 } }',
      fix: 'Choose one of the two.',
    },
    E350: {
      title: 'documents with different headers',
      explanation: 'Documents are joined into one, but their headers are not equal. How many there are is named.',
      example: 'config: { mode: concat }   # over two files with unlike headers',
      fix: 'Make the headers equal, set `preserve`, or build one by `header`.',
    },
    E351: {
      title: 'header of no document',
      explanation: 'A record on the header input belongs to a document that has no body.',
      example: '- { type: envelope, name: framed, body: orders, header: heads }   # heads come from another source',
      fix: 'Derive the header from the source of the body.',
    },
    E352: {
      title: 'two headers for one document',
      explanation: 'The header input gives more than one record for a document.',
      example: '- { type: envelope, name: framed, body: orders, header: heads }   # heads has two rows a file',
      fix: 'Give one record per document.',
    },
    E353: {
      title: 'header reads a column',
      explanation: 'A header is written before the records, so an expression in it cannot read their columns.',
      example: 'header: { batch: { total: "amount" } }',
      fix: 'Aggregate it in the footer, or use `$vars`, `$source`, `$pipeline` or `$doc`.',
    },
    E354: {
      title: 'footer that is no plain aggregate',
      explanation: 'A footer field is a count, sum, avg, min or max of one column as it is.',
      example: 'footer: { trailer: { total: "sum(amount * 2)" } }',
      fix: 'Compute the value upstream, then aggregate the column.',
    },
  },
  'reserved',
)
