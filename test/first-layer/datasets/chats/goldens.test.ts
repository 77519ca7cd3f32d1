import { parseJson } from 'inlet-chat-template'
import { describe, expect, test } from 'vitest'
import { ChatLines } from '../../../../src/first-layer/datasets/chats/chat-lines.js'
import { tokenizeText } from '../../tokens/tokenize-text.js'
import { chats, type GoldenUpload, openFolder, runsOf } from './golden-chats.js'

const MANY = 1 << 24

/** What an upload of these lines stores, in the goldens' form, without ids. */
async function upload(
  folder: string,
  lines: readonly object[],
  query: GoldenUpload['query'],
  refused: 'skip' | 'error',
) {
  const { card, tokenizer, how } = await openFolder(folder)
  const options = {
    ...({ mask: 'sampled', turns: 'auto', trailing: 'mask' } as const),
    ...query,
    refused,
    template: query.chat_template,
    hasDocumentEnd: query.document_end !== undefined,
  }
  const reader = new ChatLines(card.chat, tokenizer, options, MANY)
  const documents: { line: number; turn: number | null; ids: number[]; mask: Uint8Array }[] = []
  for (const [i, line] of lines.entries()) {
    for (const document of await reader.documents(parseJson(JSON.stringify(line)), i + 1)) {
      const ids = tokenizeText(tokenizer, document.text, how)
      const mask = reader.mask(document, ids)
      const all = query.document_end === undefined ? [...ids] : [...ids, query.document_end]
      documents.push({ line: i + 1, turn: document.turn, ids: all, mask })
    }
  }
  reader.end()
  return { documents, counts: reader.counts }
}

describe.each(Object.keys(chats.folders))('%s', (name) => {
  const { files, ids, uploads } = chats.folders[name]!

  test.each(uploads.map((each) => [each.file, JSON.stringify(each.query), each] as const))(
    '%s %s: the reference’s documents, ids, masks and counts',
    async (_, __, { file, query, chats, documents }) => {
      const made = await upload(name, files[file]!, query, 'skip')
      expect(made.counts).toEqual(chats)
      expect(made.documents.map(({ line, turn, mask }) => [line, turn, runsOf(mask)])).toEqual(
        documents.map(([line, turn, , trained]) => [line, turn, trained]),
      )
      expect(made.documents.map((each) => each.ids)).toEqual(documents.map(([, , place]) => ids[place]))
    },
  )
})

const refusals = chats.errors.filter(({ status }) => status === 422)
test.each(
  refusals.map((each) => [each.folder, each.file ?? 'lines', JSON.stringify(each.query), each] as const),
)('%s %s %s is refused by its line', async (folder, file, _, { lines, query, code, line, turn, reason }) => {
  const given = lines ?? chats.folders[folder]!.files[file]!
  const error = await upload(folder, given, query, 'error').then(
    () => undefined,
    (error) => error,
  )
  expect(error).toMatchObject({ name: 'InletError', code })
  expect(error.message).toMatch(new RegExp(`^Line ${line}: `))
  if (code !== 'chat_refused') return
  expect(error.message).toContain(reason)
  expect(error.param).toBe(`messages.${turn}`)
})
