import { describe, expect, test } from 'vitest'
import { templateOf } from '../../../../src/first-layer/tokens/tokenizer-file/tokenizer-facts.js'

const FILE = 'tokenizer.json'
const A = { Sequence: { id: 'A', type_id: 0 } }
const B = { Sequence: { id: 'B', type_id: 1 } }
const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } })

/** `single` around texts, with `[CLS]` of these ids and `[SEP]` 2. */
const processing = (single: readonly unknown[], ids: readonly number[] = [1]) => ({
  type: 'TemplateProcessing',
  single,
  special_tokens: { '[CLS]': { id: '[CLS]', ids }, '[SEP]': { id: '[SEP]', ids: [2] } },
})
const ofIds = (count: number) => Array.from({ length: count }, (_, i) => i)

describe('a template', () => {
  test('is the ids before the text and behind it, in order', () => {
    const single = [special('[CLS]'), special('[SEP]'), A, special('[SEP]'), special('[CLS]')]
    expect(templateOf(processing(single, [7, 8]), FILE)).toEqual({ before: [7, 8, 2], after: [2, 7, 8] })
  })

  test.each([
    ['of two texts', [A, special('[SEP]'), A]],
    ['without a text', [special('[CLS]')]],
    ['of the second text', [B]],
  ])('%s is none', (_, single) => {
    expect(templateOf(processing(single), FILE)).toBeUndefined()
  })

  test('in a sequence stands around those before it', () => {
    const around = (count: number) => processing([special('[CLS]'), A, special('[SEP]')], ofIds(count))
    const sequence = (...processors: unknown[]) => templateOf({ type: 'Sequence', processors }, FILE)
    const bert = { type: 'BertProcessing', cls: ['c', 5], sep: ['s', 6] }
    expect(sequence(around(2), bert, { type: 'ByteLevel' })).toEqual({ before: [5, 0, 1], after: [2, 6] })
    expect(sequence(around(2), { type: 'Unknown' })).toBeUndefined()
  })
})
