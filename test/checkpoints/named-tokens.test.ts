import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { folderChat } from '../../src/checkpoints/folder-chat.js'

/** Files of a folder, and the `special_tokens_map` that AutoTokenizer of transformers 5.24 makes of them. */
const CASES = readFileSync(new URL('../goldens/named-tokens.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')

function chatOf(config: object, map: object | null) {
  const texts: Record<string, string | undefined> = {
    'tokenizer_config.json': JSON.stringify(config),
    'special_tokens_map.json': map === null ? undefined : JSON.stringify(map),
  }
  const files = { text: async (name: string) => texts[name], names: async () => [] }
  return folderChat(files as unknown as Parameters<typeof folderChat>[0], undefined, undefined)
}

test.each(CASES)('the tokens that a folder names, in every way of naming them: %s', async (line) => {
  const { config, map, tokens } = JSON.parse(line)
  expect((await chatOf(config, map)).tokens).toEqual(tokens)
})

test('`chat_template` as an object has templates by name', async () => {
  const config = { chat_template: { default: 'a', tool_use: 'b', other: 1 } }
  const { templates } = await chatOf(config, null)
  expect(templates).toEqual(
    new Map([
      ['default', 'a'],
      ['tool_use', 'b'],
    ]),
  )
})
