import { basename } from 'node:path'
import { hashOfFile } from './read/input-bytes.js'
import type { ShardRecord } from './record.js'

/** Records that make no dataset, or not one alone. */
export class ChoiceError extends Error {}

/**
 * The shards to merge, in their order: those of a list, else all, by their inputs' names; without those that have no documents.
 *
 * @param list names or paths of inputs, or keys of shards, in the order of their documents
 * @throws ChoiceError naming the shards that are missing, doubtful, or of another recipe
 */
export async function chosenRecords(
  records: readonly ShardRecord[],
  list: readonly string[] | undefined,
): Promise<readonly ShardRecord[]> {
  if (records.length === 0) throw new ChoiceError('The folder must have finished shards. Given: none')
  const byInput = new Map<string, ShardRecord[]>()
  for (const record of records) byInput.set(record.input, [...(byInput.get(record.input) ?? []), record])
  const chosen: ShardRecord[] = []
  for (const name of list ?? byInput.keys()) {
    const record = await oneOf(name, byInput, records)
    if (record.output !== null) chosen.push(record)
  }
  if (chosen.length === 0)
    throw new ChoiceError(`A shard must have documents. Given: ${records.length} without any`)
  const other = chosen.find(({ recipe }) => recipe !== chosen[0]!.recipe)
  if (other !== undefined) {
    const given = `${chosen[0]!.input} of ${chosen[0]!.recipe} and ${other.input} of ${other.recipe}`
    throw new ChoiceError(`All shards must be of one recipe. Given: ${given}`)
  }
  if (chosen[0]!.to !== 'ids')
    throw new ChoiceError(`Shards must be of --to ids to be one dataset. Given: ${chosen[0]!.to}`)
  return chosen
}

async function oneOf(
  name: string,
  byInput: ReadonlyMap<string, readonly ShardRecord[]>,
  records: readonly ShardRecord[],
): Promise<ShardRecord> {
  const keyed = records.find(({ key }) => key === name)
  if (keyed !== undefined) return keyed
  const found = byInput.get(basename(name)) ?? []
  if (found.length === 1) return found[0]!
  if (found.length === 0)
    throw new ChoiceError(`${name} must be a finished shard: its input's name or its key.`)
  const sha256 = await hashOfFile(name, () => {}).catch(() => undefined)
  const same = found.filter(({ input_sha256 }) => input_sha256 === sha256)
  if (same.length === 1) return same[0]!
  const keys = found.map(({ key }) => key).join(', ')
  throw new ChoiceError(`${name} has several shards: name one of them in --list, by its key. Given: ${keys}`)
}
