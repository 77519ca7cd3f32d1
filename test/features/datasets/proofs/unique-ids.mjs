import { randomFrom } from '../../../attacks/harness/random.mjs'

/** Ids of a corpus begin at a multiple of this; a document's separator is id 0. */
const APART = 2 ** 22

async function upload(port, number, tokens) {
  const random = randomFrom(number)
  const ids = Uint32Array.from({ length: tokens }, (_, i) => number * APART + i + 1)
  for (let i = 0; i < tokens; i += 1 + Math.floor(200 * random() ** 2)) ids[i] = 0
  ids[tokens - 1] = 0
  const url = `http://127.0.0.1:${port}/v1/datasets?dtype=uint32&separator_id=0`
  const headers = { 'Content-Type': 'application/octet-stream' }
  const answer = await fetch(url, { method: 'POST', headers, body: Buffer.from(ids.buffer) })
  const { id } = await json(answer)
  return { id, number, ids }
}

async function json(answer) {
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

/**
 * The corpora of the proof, of ids that occur once each, and how they are read: whole documents in windows, packed, and a
 * mixture whose weights change twice.
 */
export async function corpora(port, T, rows) {
  const members = [
    await upload(port, 1, 600_000),
    await upload(port, 2, 200_000),
    await upload(port, 3, 40_000),
  ]
  const [{ id }] = members
  const mixture = await json(
    await fetch(`http://127.0.0.1:${port}/v1/datasets`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        mixture: members.map((member, j) => ({ dataset: member.id, weight: 3 - j })),
        stages: [
          { from_window: 0, weights: [3, 2, 1] },
          { from_window: 3072, weights: [1, 1, 3] },
          { from_window: 6144, weights: [5, 0.5, 1] },
        ],
      }),
    }),
  )
  const index = { shuffle: 'index', seed: '42' }
  const one = [members[0]]
  const runs = [
    { name: 'plain, shuffle=index', query: { ...index, tail: 'pad', pad_token_id: '0' } },
    { name: 'plain, shuffle=true', query: { shuffle: 'true', seed: '42', tail: 'pad', pad_token_id: '0' } },
    { name: 'best_fit', query: { ...index, packing: 'best_fit', pad_token_id: '0' } },
  ].map((run) => ({ ...run, dataset: id, members: one }))
  for (const run of runs) {
    const recipe = new URLSearchParams({ ...run.query, context_length: T, batch_size: rows })
    const plan = await json(await fetch(`http://127.0.0.1:${port}/v1/datasets/${id}/batches?${recipe}`))
    run.numBatches = plan.num_batches
  }
  const mixed = { ...index, packing: 'best_fit', pad_token_id: '0' }
  return [...runs, { name: 'a mixture of changing weights', dataset: mixture.id, query: mixed, members }]
}

/**
 * How often each id stands in a stream: once in an epoch; in a mixture's, which is endless, of each member's ids so often or
 * again.
 */
export function appearances(file, { T, ROWS, outputs, members, numBatches }) {
  const counts = new Map(members.map(({ number, ids }) => [number, new Uint32Array(ids.length)]))
  const values = new Int32Array(file.buffer, file.byteOffset, file.length / 4)
  const each = ROWS * T
  for (let batch = 0; batch < values.length; ) {
    // The last batch of an epoch is short: what is there is divided by the number of tensors.
    const slots = Math.min(each, (values.length - batch) / outputs.length)
    for (let i = batch; i < batch + slots; i++) {
      const id = values[i]
      if (id !== 0) counts.get(Math.floor((id - 1) / APART))[(id - 1) % APART]++
    }
    batch += slots * outputs.length
  }
  const said = []
  let problem
  for (const { number, ids } of members) {
    const own = counts.get(number).filter((_, i) => ids[i] !== 0)
    const [least, most] = own.reduce(([a, b], n) => [Math.min(a, n), Math.max(b, n)], [own[0], own[0]])
    said.push(
      `${own.length.toLocaleString('en-US')} ids, each ${least === most ? least : `${least} or ${most}`} times`,
    )
    const isRight = numBatches === undefined ? most - least <= 1 : least === 1 && most === 1
    if (!isRight) problem = `ids stand in it ${least} to ${most} times`
  }
  return { said: said.join('; '), problem }
}
