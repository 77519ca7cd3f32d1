import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampledMask } from '../../../../src/first-layer/datasets/chats/loss-mask.js'
import { ChatRefused, sampledTexts } from '../../../../src/first-layer/datasets/chats/turn-spans.js'
import { checkProperty } from '../../../property.js'
import { type Beginnings, documentsOf, maskOf } from '../../../twins/chats/sampled.js'

const TURNS = ['auto', 'whole', 'each', 'last'] as const
const piece = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', 'é', '船', '🌍', '🎉'), maxLength: 4 })

/** A template as Jinja would have it, with the habits that make masks wrong. */
const template = fc.record({
  prompt: fc.constantFrom('A:', 'A: ', 'A:<t>', 'A:🌍'),
  answer: fc.constantFrom('A:', 'A: ', 'A:🎉'),
  end: fc.constantFrom('', '.', '.\n', '.U:'),
  /** Answers before the last message are shown without their first character. */
  isShortened: fc.boolean(),
  /** A prompt is written behind a user's message alone. */
  isPrompting: fc.boolean(),
  /** An answer with a `b` opens the turn of a tool. */
  isCalling: fc.boolean(),
  failsAt: fc.constantFrom(-1, -1, -1, 0, 1, 3),
})
const chat = fc.array(fc.tuple(fc.constantFrom('user', 'assistant'), piece), { minLength: 1, maxLength: 6 })

type Message = readonly [role: string, content: string]
type Made = typeof template extends fc.Arbitrary<infer Value> ? Value : never

function rendered(made: Made, messages: readonly Message[], withPrompt: boolean): string | undefined {
  if (messages.length === made.failsAt) return undefined
  const parts = messages.map(([role, content], i) => {
    const shown = made.isShortened && i < messages.length - 1 ? content.slice(1) : content
    return role === 'user' ? `U:${content}\n` : made.answer + shown + made.end
  })
  const [role, content] = messages.at(-1) ?? ['']
  if (made.isCalling && role === 'assistant' && content?.includes('b')) return `${parts.join('')}T:`
  const isAsked = made.isPrompting ? role === 'user' : true
  return parts.join('') + (withPrompt && isAsked ? made.prompt : '')
}

function textsOf(made: Made, messages: readonly Message[]): Beginnings {
  const plain: Message = ['assistant', 'a']
  return {
    R: (count) => rendered(made, messages.slice(0, count), false),
    G: (count) => rendered(made, messages.slice(0, count), true),
    plainR: (count) => rendered(made, [...messages.slice(0, count), plain], false),
    plainG: (count) => rendered(made, [...messages.slice(0, count), plain], true),
  }
}

test('documents and spans of random chats are the twin’s, or refused for the same reason', async () => {
  const seen = new Set<string>()
  const property = fc.asyncProperty(
    template,
    chat,
    fc.constantFrom(...TURNS),
    async (made, messages, turns) => {
      const texts = textsOf(made, messages)
      const whole = texts.R(messages.length)
      if (whole === undefined || !whole.isWellFormed()) return
      const wanted = messages.flatMap(([role], i) => (role === 'assistant' ? [i] : []))
      const ours = {
        async beginning(count: number, withPrompt: boolean, isAnswered = false) {
          if (isAnswered) return (withPrompt ? texts.plainG : texts.plainR)(count)
          return (withPrompt ? texts.G : texts.R)(count)
        },
      }
      const points = (text: string, end: number) => Array.from(text.slice(0, end)).length
      let given: unknown
      try {
        given = (await sampledTexts(ours, whole, wanted, turns)).map(({ turn, text, spans }) => [
          turn,
          text,
          spans.map((span) => [points(text, span.start), points(text, span.end), span.isPrefilled ?? false]),
        ])
        seen.add('made')
      } catch (error) {
        if (!(error instanceof ChatRefused)) throw error
        given = [error.turn, error.reason]
        seen.add(error.reason)
      }
      expect(given).toEqual(documentsOf(texts, whole, wanted, turns))
    },
  )
  await checkProperty(property, 2000)
  expect([...seen].sort()).toEqual(['made', 'not_rendered', 'opens_next_turn', 'rewrites_history'])
})

const STOP = 7

test('masks of random spans and tokens are the twin’s', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '\n', 'é', '船', '🌍', '\x85', '\ufeff'),
    maxLength: 24,
  })
  const tokens = fc.array(fc.tuple(fc.nat(3), fc.nat(2), fc.nat(3)), { maxLength: 14 })
  const cuts = fc.uniqueArray(fc.nat(24), { maxLength: 6 })
  const property = fc.property(
    text,
    tokens,
    cuts,
    fc.constantFrom('mask', 'train'),
    (text, drawn, cuts, trailing) => {
      const points = Array.from(text)
      let place = 0
      const placed = drawn.map(([length, gap, kind]) => {
        const start = Math.min(points.length, place + gap)
        place = Math.min(points.length, start + length)
        return { start, end: place, isStop: kind === 0 }
      })
      const ends = cuts.filter((cut) => cut <= points.length).sort((a, b) => a - b)
      const spans = ends.flatMap((end, i) => (i % 2 ? [[ends[i - 1], end, i % 4 === 1] as const] : []))
      const units = (count: number) => points.slice(0, count).join('').length
      const bytes = (count: number) => Buffer.byteLength(points.slice(0, count).join(''))
      const counts = { num_prefilled: 0, num_without_stop: 0, num_straddling: 0 }
      const mask = sampledMask(
        text,
        {
          ids: Int32Array.from(placed, ({ isStop }) => (isStop ? STOP : 1)),
          starts: Int32Array.from(placed, ({ start }) => bytes(start)),
          ends: Int32Array.from(placed, ({ end }) => bytes(end)),
        },
        spans.map(([start, end, isPrefilled]) => ({ start: units(start), end: units(end), isPrefilled })),
        { trailing: trailing as 'mask' | 'train', stops: new Set([STOP]), hasStop: false },
        counts,
      )
      const { mask: expected, without, straddling } = maskOf(text, placed, spans, trailing)
      expect([...mask]).toEqual(expected)
      const prefilled = spans.filter(([, , isPrefilled]) => isPrefilled).length
      expect(counts).toEqual({
        num_prefilled: prefilled,
        num_without_stop: without,
        num_straddling: straddling,
      })
    },
  )
  await checkProperty(property, 2000)
})
