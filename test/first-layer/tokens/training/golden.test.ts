import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readTrainingOptions } from '/work/w/me/src/first-layer/tokens/training/options.js'
import { PieceCounter } from '/work/w/me/src/first-layer/tokens/training/piece-counter.js'
import { cuttingFor, Trainer } from '/work/w/me/src/first-layer/tokens/training/trainer.js'

const S = '/work/shared/'
const g = JSON.parse(readFileSync(S + 'goldens/tokenizers.json', 'utf8'))
const sha = (v: unknown) => createHash('sha256').update(JSON.stringify(v)).digest('hex')
function documentsOf(r: any): string[] {
  if (r.random) return random({ ...r.random, letters: g.letters[r.random.letters] ?? r.random.letters })
  if (r.texts) return Array.from({ length: r.times ?? 1 }, () => r.texts).flat()
  const text = readFileSync(S + r.file, 'utf8')
  if (!r.lines) return [text]
  const [first, step] = r.lines
  const lines = text.split('\n').filter((l, i) => i >= first && (i - first) % step === 0 && l)
  return r.join ? [lines.map((l) => l + '\n').join('')] : lines
}
function random({ seed, letters, documents, words, length, lexicon }: any): string[] {
  let state = ((BigInt(seed) + 1n) * 2654435761n) % 2n ** 32n
  const draw = (below: number) => {
    state ^= (state << 13n) & 0xffffffffn
    state ^= state >> 17n
    state ^= (state << 5n) & 0xffffffffn
    return Number(state % BigInt(below))
  }
  const word = () => {
    let n = 1 + draw(length)
    let s = ''
    while (n-- > 0) s += letters[draw(letters.length)]
    return s
  }
  const known = Array.from({ length: lexicon }, word)
  const next = () => (lexicon ? known[Math.min(draw(lexicon), draw(lexicon))] : word())
  return Array.from({ length: documents }, () => Array.from({ length: words }, next).join(' '))
}
function train(docs: string[], given: any) {
  const options = readTrainingOptions(given)
  const counter = new PieceCounter(cuttingFor(options))
  for (const d of docs) counter.addText(new TextEncoder().encode(d))
  const t = new Trainer(options, counter.take())
  while (t.step());
  return t.finish()
}
for (const c of g.cases)
  it(c.id, () => {
    const t = train(documentsOf(g.documents[c.documents]), c.options)
    expect(t.vocabulary.length).toBe(c.expect.num_tokens)
    if (c.expect.merges) expect(t.merges).toEqual(c.expect.merges)
    if (c.expect.merges_sha256) expect(sha(t.merges)).toBe(c.expect.merges_sha256)
    expect(sha(t.vocabulary).startsWith(c.expect.vocabulary_sha256)).toBe(true)
  })
for (const [i, c] of g.random.entries())
  it('random ' + i, () => {
    const t = train(random({ ...c.random, letters: g.letters[c.random.letters] }), c.options)
    expect(t.merges.length).toBe(c.num_merges)
    expect(sha(t.merges).slice(0, 16)).toBe(c.merges_sha256)
    expect(sha(t.vocabulary).slice(0, 16)).toBe(c.vocabulary_sha256)
  })
for (const [i, c] of g.refused.entries())
  it('refused ' + i, () => {
    let e: any
    try {
      train(documentsOf(g.documents[c.documents]), c.options)
    } catch (x) {
      e = x
    }
    expect(e?.param, e?.message).toBe(c.field)
  })
