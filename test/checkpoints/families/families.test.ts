import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ConfigJson } from '../../../src/checkpoints/config-json.js'
import { FAMILIES, familyOf } from '../../../src/checkpoints/families/families.js'

test('each model type has one line', () => {
  const types = FAMILIES.map(({ modelType }) => modelType)
  expect(new Set(types).size).toBe(types.length)
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
