import { basename } from 'node:path'
import { folderCard } from '../../../src/checkpoints/folder-card.js'
import { readTables } from '../../../src/checkpoints/tables/read-tables.js'
import { readCard } from '../../../src/first-layer/cards/card-json.js'
import { drawFromSeed, drawnOnDemand } from '../../../src/first-layer/cards/draw-tables.js'
import { type ModelCard, widestRow } from '../../../src/first-layer/cards/model-card.js'
import { specOf } from '../../../src/first-layer/cards/model-spec.js'
import { parametersOf, seedCard } from '../../../src/first-layer/cards/seed-card.js'
import { selectBackend } from '../../../src/first-layer/embeddings/backends/select.js'
import { Model } from '../../../src/first-layer/embeddings/model.js'
import { allocateTables } from '../../../src/first-layer/embeddings/table-memory.js'
import { blocksNow } from '../../../src/first-layer/tensors/blocks.js'
import type { NamedTensor } from '../../../src/first-layer/tensors/named-tensor.js'
import { absentTokenizer } from '../../../src/first-layer/tokens/tokenizer.js'

/** A model in a folder, without its tokenizer. */
export async function folderModel(path: string): Promise<Model> {
  return modelOf(await folderCard(basename(path), path))
}

/** A model of GPT-2's vocabulary whose tables a seed draws. */
export function seedModel(card: Readonly<Record<string, unknown>> = {}): Promise<Model> {
  return modelOf(seedCard('seed', readCard({ seed: 7, embedding_dim: 16, ...card })))
}

async function modelOf(card: ModelCard): Promise<Model> {
  await selectBackend('cpu')
  const tables = allocateTables(parametersOf(card), widestRow(card), 1)
  if (card.source.type === 'folder') await readTables(tables, card.source)
  else drawFromSeed(tables, card)
  const spec = specOf(card, absentTokenizer('it is not needed'))
  return new Model({ spec, version: '1', tables, thread: 0, drawn: (name) => drawnOnDemand(card, name) })
}

/** The bytes of a tensor's elements. */
export function bytesOf(tensor: NamedTensor): Buffer {
  const parts: Buffer[] = []
  for (const block of blocksNow(tensor.blocks())) parts.push(Buffer.from(block))
  return Buffer.concat(parts)
}
