import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ConfigJson } from '../../../src/checkpoints/config-json.js'
import { ENCODER_FAMILIES } from '../../../src/checkpoints/families/encoder-families.js'
import { familyOf } from '../../../src/checkpoints/families/families.js'
import { GPT_FAMILIES } from '../../../src/checkpoints/families/gpt-families.js'
import { LLAMA_FAMILIES } from '../../../src/checkpoints/families/llama-families.js'
import { STATED_FAMILIES } from '../../../src/checkpoints/families/stated-families.js'

const FILES = {
  gpt: GPT_FAMILIES,
  llama: LLAMA_FAMILIES,
  stated: STATED_FAMILIES,
  encoder: ENCODER_FAMILIES,
}

/** The types that a file of families writes, each as often as it stands there: in the object, the last line would win. */
function written(name: string): string[] {
  const file = new URL(`../../../src/checkpoints/families/${name}-families.ts`, import.meta.url)
  const [, text] = readFileSync(file, 'utf8').split(': Families = {')
  const keys = Array.from(text!.matchAll(/^ {2}'?([\w.-]+)'?[:,]/gm), ([, key]) => key!)
  const lists = Array.from(text!.matchAll(/['`]([\w\s-]+)['`],?\s*\),$/gm), ([, list]) => list!)
  return [...keys, ...lists.flatMap((list) => list.trim().split(/\s+/))]
}

test('each model type has one line', () => {
  for (const [name, families] of Object.entries(FILES))
    expect(written(name).sort(), name).toEqual(Object.keys(families).sort())
  const types = Object.values(FILES).flatMap((families) => Object.keys(families))
  expect(types.filter((type, i) => types.indexOf(type) !== i)).toEqual([])
})

test('Kimi K2 is DeepSeek V3 under another name', () => {
  const family = (model_type: string) => familyOf(ConfigJson.parse(JSON.stringify({ model_type })))
  expect({ ...family('kimi_k2'), modelType: 'deepseek_v3' }).toEqual(family('deepseek_v3'))
})

/** Every type of transformers' maps of models that read text; test/clients/model-types.sh holds it against the newest. */
const TYPES: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../../goldens/model-types.json', import.meta.url), 'utf8'),
)

/** `served`, or `refused: ` and the reason. A RoCBERT is served where its rows are made of ids alone. */
function standing(model_type: string): string {
  const config = { model_type, enable_shape: false, enable_pronunciation: false }
  try {
    familyOf(ConfigJson.parse(JSON.stringify(config)))
    return 'served'
  } catch (error) {
    return `refused: ${(error as Error).message.split(' is not served: ')[1]}`
  }
}

test('each type of transformers’ maps is served, or refused with a reason', () => {
  const now = Object.fromEntries(Object.keys(TYPES).map((type) => [type, standing(type)]))
  expect(now).toEqual(TYPES)
})
