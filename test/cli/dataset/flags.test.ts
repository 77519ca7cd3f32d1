import { expect, test } from 'vitest'
import { plan } from '../../../src/cli/dataset/plan.js'
import { push } from '../../../src/cli/dataset/push.js'
import { RECIPE_OPTIONS } from '../../../src/first-layer/datasets/recipe-options.js'
import { datasetUpload } from '../../../src/wire/schemas/dataset-upload.js'

const kebab = (names: readonly string[]) => names.map((name) => name.replaceAll('_', '-'))
const flagsOf = ({ flagGroups }: typeof push) =>
  flagGroups.flatMap(({ flags }) => flags.map(({ name }) => name))

test('every field of an upload is a flag of push', () => {
  expect(flagsOf(push)).toEqual(expect.arrayContaining(kebab(Object.keys(datasetUpload.shape))))
})

test('every field that decides a plan is a flag of plan', () => {
  const fields = Object.keys(RECIPE_OPTIONS).filter((name) => !/^(rank|epoch|num_batches)$/.test(name))
  expect(flagsOf(plan)).toEqual(expect.arrayContaining(kebab([...fields, 'seed', 'recipe_id'])))
  expect(flagsOf(plan)).not.toContain('rank')
})
