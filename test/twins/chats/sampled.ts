/** The law `sampled` once more, slow and in code points, as the reference has it. */

/** The texts of a chat's beginnings, undefined where the template fails: R, G, and both with a plain answer. */
export interface Beginnings {
  readonly R: (count: number) => string | undefined
  readonly G: (count: number) => string | undefined
  readonly plainR: (count: number) => string | undefined
  readonly plainG: (count: number) => string | undefined
}

type Span = readonly [start: number, end: number, isPrefilled: boolean]

const points = (text: string) => Array.from(text)
const begins = (text: string, start: string) => text.slice(0, start.length) === start

/** The span of turn i in F, or the reason why it has none. */
export function spanOf({ R, G, plainR, plainG }: Beginnings, F: string, i: number): Span | string {
  const [p, h, q] = [G(i), R(i), R(i + 1)]
  if (p === undefined || q === undefined) return 'not_rendered'
  const closed = plainR(i)
  const prompted = plainG(i)
  if (G(i + 1) === q && closed !== undefined && prompted !== undefined && closed !== prompted)
    return 'opens_next_turn'
  if (!begins(F, q)) return 'rewrites_history'
  if (begins(q, p)) return [points(p).length, points(q).length, false]
  let c = 0
  while (c < points(p).length && points(p)[c] === points(q)[c]) c++
  if (h !== undefined && begins(p, h) && c > points(h).length) return [c, points(q).length, true]
  return 'rewrites_history'
}

/** Documents as [turn, text, spans], or the first refusal as [turn, reason]. */
export function documentsOf(texts: Beginnings, F: string, wanted: readonly number[], turns: string) {
  const whole = wanted.map((i) => spanOf(texts, F, i))
  const refused = whole.findIndex((span) => typeof span === 'string')
  const isWhole = (turns === 'auto' && refused < 0) || turns === 'whole' || wanted.length === 0
  if (isWhole) return refused < 0 ? [[null, F, whole]] : [wanted[refused], whole[refused]]
  const made: unknown[] = []
  for (const i of turns === 'last' ? wanted.slice(-1) : wanted) {
    const q = texts.R(i + 1)
    const span = q === undefined ? 'not_rendered' : spanOf(texts, q, i)
    if (typeof span === 'string') return [i, span]
    made.push([i, q, [span]])
  }
  return made
}

/** A token's place in code points, and whether it is an added one. */
export interface Token {
  readonly start: number
  readonly end: number
  readonly isStop: boolean
}

/** The mask, and how many spans have no end and how many tokens straddle one. */
export function maskOf(text: string, tokens: readonly Token[], spans: readonly Span[], trailing: string) {
  const extents = tokens.map(({ start, end }, t) => [Math.min(t === 0 ? 0 : tokens[t - 1].end, start), end])
  let without = 0
  const kept = spans.map(([a, b]) => {
    const stops = extents.filter(([s, e], t) => tokens[t].isStop && a <= s && e <= b).map(([, e]) => e)
    const stop = stops.at(-1)
    const isEnd =
      stop !== undefined &&
      points(text)
        .slice(stop, b)
        .every((c) => c !== '\ufeff' && (c === '\x85' || /^\s$/.test(c)))
    if (!isEnd) without++
    return [a, isEnd && trailing === 'mask' ? stop : b]
  })
  const mask = extents.map(([s, e]) => (kept.some(([a, b]) => a <= s && e <= b) ? 1 : 0))
  const straddling = extents.filter(([s, e], t) => !mask[t] && kept.some(([a, b]) => s < b && e > a)).length
  return { mask, without, straddling }
}
