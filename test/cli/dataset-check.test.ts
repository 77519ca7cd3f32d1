import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chats, folderOf } from '../first-layer/datasets/chats/golden-chats.js'
import { inFolder } from './run-command.js'
import { run } from './run-here.js'

async function checked(folder: string, lines: readonly object[], flags: readonly string[] = []) {
  return inFolder(async (place) => {
    const file = join(place, 'chats.jsonl')
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
    const { code, stdout, stderr } = await run(
      ['dataset', 'check', file, '--model', folderOf(folder), ...flags],
      {},
    )
    return { code, lines: stdout.toString().split('\n'), stderr }
  })
}

test('a file of which every chat has a mask is fit to train on', async () => {
  const { files } = chats.folders.headers
  const { code, lines } = await checked('headers', files.chats, ['--context-length', '64'])
  expect(code).toBe(0)
  expect(lines[0]).toMatch(/chats\.jsonl: fit to train on$/)
  expect(lines.join('\n')).toMatch(/trained +562/)
  expect(lines.join('\n')).toMatch(/beyond 64 +\d+/)
})

test('one with refused chats is not: the first line says so, each has its line, and the exit code is 1', async () => {
  const { files, uploads } = chats.folders['no-end']
  const { code, lines } = await checked('no-end', files.chats)
  expect(code).toBe(1)
  expect(lines[0]).toMatch(/not fit to train on: 4 of 14 chats are refused$/)
  const { refused } = uploads[0].chats as { refused: { line: number; turn: number; reason: string }[] }
  for (const { line, turn, reason } of refused)
    expect(lines).toContain(`line ${line}: messages.${turn} ${reason}`)
})

test('a line that is no chat is named', async () => {
  const { code, stderr } = await checked('headers', [{ messages: 'none' }])
  expect(code).toBe(1)
  expect(stderr).toMatch(/Line 1: `messages` must be an array/)
})

const { files: tagged, uploads } = chats.folders['tags-inside']

test.each(uploads.filter(({ query }) => query.document_end === undefined))(
  'what an upload with $query trains of $file is trained',
  async ({ file, query, chats: counts }) => {
    const flags = Object.entries(query).map(([name, value]) => `--${name.replaceAll('_', '-')}=${value}`)
    const { lines } = await checked('tags-inside', tagged[file], flags)
    const [, trained] = /^trained +(\S+)/m.exec(lines.join('\n'))!
    expect({ ...counts, num_target_tokens: Number(trained.replaceAll(',', '')) }).toEqual(counts)
  },
)

test('flags that an upload refuses are refused, by their names', async () => {
  const lines = chats.folders.headers.files.chats
  for (const [flags, message] of [
    [['--mask', 'none'], /--mask must be one of/],
    [['--mask', 'all', '--turns', 'last'], /--turns must be whole or auto/],
    [['--context-length', 'long'], /--context-length must be a number of at least 1\. Given: long/],
  ] as const) {
    const { code, stderr } = await checked('headers', lines, flags)
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  }
})
