import { join, resolve } from 'node:path'
import { FOLDER } from '../corpus/folders.js'
import { mergeShards } from '../run/merge.js'
import { isLocation, LOCATION_RULE, parseLocation } from '../run/objects/location.js'
import { allRecords, openPlace } from '../run/place.js'
import { hashOfFile } from '../run/read/input.js'
import type { ShardRecord } from '../run/record.js'
import { inputName } from '../run/shard.js'
import { type Call, type Command, failing, flagsIn, UsageError } from './program.js'
import { linesOf } from './run.js'
import { countText, frameText, Progress, quietFlag, secondsText, visible } from './terminal.js'

/** `inlet merge`: the shards of a run as one dataset. */
export const merge: Command = {
  name: 'merge',
  summary:
    'Makes one dataset of the shards that inlet run has made, as an upload of all documents would be. OUT may be s3://BUCKET/KEY.',
  takes: '<OUT>',
  examples: [
    'inlet merge out --name corpus',
    'inlet merge out --list order.txt --json',
    'inlet merge s3://corpora/tokens --into out',
  ],
  flags: {
    Flags: flagsIn({
      '--list <FILE>':
        'The inputs in the order of their documents, one a line, as --files-from; or keys of shards. Default: all, by the paths of the inputs. - is stdin.',
      '--into <PLACE>': 'A folder, or s3://BUCKET/KEY, for the dataset. Default: OUT itself.',
      '--name <NAME>': 'A name of the dataset, for people.',
      '--json': 'A JSON line on stdout, as always where that is no terminal.',
      ...quietFlag,
    }),
  },
  run: runMerge,
}

async function runMerge({ files: [out = ''], values, signal }: Call): Promise<void> {
  const from = placeNamed('OUT', out)
  const into = values.has('into') ? placeNamed('--into', values.get('into')!) : from
  const list = values.get('list')
  const names = list === undefined ? undefined : await linesOf(list, '--list', signal)
  const records = await openPlace(from)
    .then(async (place) => chosenRecords(await allRecords(place, signal), names))
    .catch(failing(from))
  using progress = new Progress(values)
  progress.stage(
    'merging',
    records.reduce((sum, { output_bytes }) => sum + output_bytes, 0),
  )
  const name = values.get('name') ?? null
  const read = (bytes: number) => progress.add(bytes)
  const call = { out: from, into, records, name, signal, read }
  const { card, isNew } = await mergeShards(call).catch(failing(`${out} cannot be merged`))
  const { seconds } = progress
  const { id, num_documents: documents, num_tokens: tokens, size_bytes: output_bytes, sha256 } = card
  const output = isLocation(into) ? `${into}/${FOLDER}/${id}` : join(into, FOLDER, id)
  const facts = `${countText(documents, 'document')}, ${countText(tokens, 'token')} of ${countText(records.length, 'shard')}`
  progress.write(`${visible(output)}: ${facts} in ${secondsText(seconds)}${frameText(card)}`)
  if (!values.has('json') && process.stdout.isTTY) return
  const state = isNew ? 'done' : 'kept'
  const made = { id, output, state, sha256, output_bytes, documents, tokens, shards: records.length }
  process.stdout.write(`${JSON.stringify({ ...made, seconds: Number(seconds.toFixed(3)) })}\n`)
}

/** A folder, or a bucket's name without slashes at its end. */
function placeNamed(what: string, path: string): string {
  if (!isLocation(path)) return path
  if (parseLocation(path) !== undefined) return path.replace(/\/+$/, '')
  throw new UsageError(`inlet merge: ${what} must be a folder, or ${LOCATION_RULE}. Given: ${path}`)
}

/**
 * The shards to merge, in their order: those of a list, else all, by their inputs' paths; without those that have no
 * documents. @param list paths of inputs, names that one input alone has, or keys of shards, in the order of their documents @throws Error
 * naming the shards that are missing, doubtful, or of another recipe
 */
async function chosenRecords(
  records: readonly ShardRecord[],
  list: readonly string[] | undefined,
): Promise<readonly ShardRecord[]> {
  if (records.length === 0) throw new Error('The folder must have finished shards. Given: none')
  const sorted = records.toSorted((a, b) => Number(a.input > b.input) - Number(a.input < b.input))
  const chosen: ShardRecord[] = []
  for (const name of list ?? new Set(sorted.map(({ input }) => whole(input)))) {
    const record = await oneOf(name, sorted)
    if (record.output !== null) chosen.push(record)
  }
  if (chosen.length === 0)
    throw new Error(`A shard must have documents. Given: ${records.length} without any`)
  for (const kind of ['recipe', 'chats_recipe'] as const) {
    const [first, ...others] = chosen.filter((record) => record[kind] !== undefined) // texts may stand beside chats
    const other = others.find((record) => record[kind] !== first![kind])
    if (other === undefined) continue
    const given = `${first!.input} of ${first![kind]} and ${other.input} of ${other[kind]}`
    throw new Error(`All shards must be of one recipe: --list names some of them. Given: ${given}`)
  }
  if (chosen[0].to !== 'ids')
    throw new Error(`Shards must be of --to ids to be one dataset. Given: ${chosen[0].to}`)
  return chosen
}

async function oneOf(name: string, records: readonly ShardRecord[]): Promise<ShardRecord> {
  const found =
    [
      records.filter(({ key }) => key === name),
      records.filter(({ input }) => whole(input) === whole(name)),
      records.filter(({ input }) => inputName(input) === name),
    ].find(({ length }) => length > 0) ?? []
  const [first] = found
  if (first === undefined)
    throw new Error(`${name} must be a finished shard: its input's path or name, or its key.`)
  const inputs = new Map(found.map(({ input }) => [whole(input), input]))
  if (inputs.size > 1) {
    const given = [...inputs.values()].join(', ')
    throw new Error(`${name} is the name of several inputs: --list must have their paths. Given: ${given}`)
  }
  if (found.length === 1) return first
  const present = await hashOfFile(whole(first.input)).catch(() => undefined)
  const same = found.filter(({ input_sha256 }) => present === undefined || input_sha256 === present)
  // A file that was given by two paths has a record of each.
  const facts = new Set(same.map(({ recipe, chats_recipe, sha256 }) => `${recipe} ${chats_recipe} ${sha256}`))
  if (facts.size === 1) return same[0]
  const keys = found.map(({ key }) => key).join(', ')
  throw new Error(`${name} has several shards: name one of them in --list, by its key. Given: ${keys}`)
}

/** An input by whichever path it is named. */
function whole(input: string): string {
  return isLocation(input) ? input : resolve(input)
}
