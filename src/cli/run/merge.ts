import { join } from 'node:path'
import { FOLDER } from '../../datasets/disk/folders.js'
import { isLocation } from '../../objects/location.js'
import { ChoiceError, chosenRecords } from '../../run/chosen-records.js'
import { mergeShards } from '../../run/merge.js'
import { allRecords, type ShardRecord } from '../../run/record.js'
import type { Call, Command } from '../command.js'
import { CommandError, UsageError } from '../exit.js'
import { Progress, quietFlag, secondsText } from '../progress.js'
import { styleFor } from '../style.js'
import { visible } from '../visible.js'
import { linesOf } from './lines-of.js'

/** `inlet merge`: the shards of a run as one dataset. */
export const merge: Command = {
  name: 'merge',
  summary: 'Makes one dataset of the shards that inlet run has made, as an upload of all documents would be.',
  usage: 'merge OUT [flags]',
  examples: ['inlet merge out --name corpus', 'inlet merge out --list order.txt --json'],
  flagGroups: [
    {
      title: 'Flags',
      flags: [
        {
          name: 'list',
          value: 'FILE',
          doc: 'The inputs in the order of their documents, one a line, as --files-from; or keys of shards. Default: all, by the names of the inputs. - is stdin.',
        },
        { name: 'name', value: 'NAME', doc: 'A name of the dataset, for people.' },
        { name: 'json', doc: 'A JSON line on stdout, as always where that is no terminal.' },
        quietFlag,
      ],
    },
  ],
  maxFiles: 1,
  run: runMerge,
}

async function runMerge({ files: [out], values, signal }: Call): Promise<void> {
  if (out === undefined) throw new UsageError('inlet merge OUT: the folder of a run is needed.')
  if (isLocation(out))
    throw new UsageError(`inlet merge OUT: OUT must be a folder; copy a bucket’s there. Given: ${out}`)
  const records = await chosen(out, values.get('list'), signal)
  const progress = new Progress(process.stderr, styleFor(process.stderr), values.has('quiet'))
  const started = performance.now()
  try {
    progress.stage(
      'merging',
      records.reduce((sum, { output_bytes }) => sum + output_bytes, 0),
    )
    const name = values.get('name') ?? null
    const read = (bytes: number) => progress.add(bytes)
    const { card, isNew } = await mergeShards({ out, records, name, signal, read })
    const seconds = (performance.now() - started) / 1000
    const { id, num_documents: documents, num_tokens: tokens, size_bytes: output_bytes, sha256 } = card
    const output = join(out, FOLDER, id)
    progress.end()
    if (values.has('json') || !process.stdout.isTTY) {
      const state = isNew ? 'done' : 'kept'
      const made = { id, output, state, sha256, output_bytes, documents, tokens, shards: records.length }
      process.stdout.write(`${JSON.stringify({ ...made, seconds: Number(seconds.toFixed(3)) })}\n`)
    }
    const facts = `${documents.toLocaleString('en')} documents, ${tokens.toLocaleString('en')} tokens`
    progress.write(`${visible(output)}: ${facts} of ${records.length} shards in ${secondsText(seconds)}`)
  } catch (error) {
    if (signal.aborted || error instanceof CommandError) throw error
    throw new CommandError(`${out} cannot be merged: ${(error as Error).message}`, { cause: error })
  } finally {
    progress.end()
  }
}

async function chosen(
  out: string,
  list: string | undefined,
  signal: AbortSignal,
): Promise<readonly ShardRecord[]> {
  const names = list === undefined ? undefined : await linesOf(list, '--list', signal)
  try {
    return await chosenRecords(await allRecords(out), names)
  } catch (error) {
    if (error instanceof ChoiceError) throw new CommandError(`${out}: ${error.message}`, { cause: error })
    throw error
  }
}
