import { setImmediate } from 'node:timers/promises'
import { invalidField } from '../first-layer/errors.js'
import { parse } from '../first-layer/options/parse.js'
import { trainingOptions } from '../first-layer/options/training.js'
import { PieceCounter } from '../first-layer/tokens/training/piece-counter.js'
import { tokenizerJson } from '../first-layer/tokens/training/trained-files.js'
import { checkTraining, cuttingFor, mergeAll, Trainer } from '../first-layer/tokens/training/trainer.js'
import type { TrainTokenizerOptions } from './options.js'

const encoder = new TextEncoder()
const TURN_BYTES = 1 << 20

/**
 * Trains a byte-level BPE tokenizer on texts, merge for merge as Hugging Face's `BpeTrainer` does (tokenizers 0.23).
 *
 * `(await trainTokenizer(['ab ab'], { vocab_size: 258 })).tokenizer.model.merges` → `[['a', 'b']]`
 *
 * @param documents texts, each cut into pieces by itself
 * @returns the content of tokenizer.json
 * @throws InletError `invalid_request` that names the option, the rule and the value; for a text that is not well-formed
 */
export async function trainTokenizer(
  documents: Iterable<string> | AsyncIterable<string>,
  options: TrainTokenizerOptions,
): Promise<{ readonly tokenizer: Readonly<Record<string, unknown>> }> {
  const given = parse(trainingOptions, options)
  checkTraining(given)
  const counter = new PieceCounter(cuttingFor(given))
  if (typeof documents === 'string')
    throw invalidField('documents', 'must be a list of texts, or another iterable of them', documents)
  let bytes = 0
  let index = 0
  for await (const text of documents) {
    if (typeof text !== 'string') throw invalidField(`documents.${index}`, 'must be a string', text)
    if (!text.isWellFormed())
      throw invalidField(`documents.${index}`, 'must be Unicode, without lone surrogates', text)
    const utf8 = encoder.encode(text)
    counter.write(utf8)
    index++
    bytes += utf8.length
    if (bytes > TURN_BYTES) {
      bytes = 0
      await setImmediate()
    }
  }
  return {
    tokenizer: tokenizerJson(await mergeAll(new Trainer(given, counter.take()), () => setImmediate())),
  }
}
