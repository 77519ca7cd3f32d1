import '../../../first-layer/embeddings/backends/cpu.js'
import { enableProdMode, setBackend } from '@tensorflow/tfjs-core'
import { run } from 'inlet-chat-template'
import type { z } from 'zod'
import { embeddingRequest, rawTextOptions } from '../../../checkpoints/embedding-request.js'
import { type Answer, countFields, fileMetadata } from '../../../first-layer/answer.js'
import { CARD_DEFAULTS, readCard } from '../../../first-layer/cards/card-json.js'
import { drawFromSeed, drawnOnDemand } from '../../../first-layer/cards/draw-tables.js'
import { widestRow } from '../../../first-layer/cards/model-card.js'
import { specOf } from '../../../first-layer/cards/model-spec.js'
import { parametersOf, seedCard } from '../../../first-layer/cards/seed-card.js'
import { lossMask, maskedChat } from '../../../first-layer/datasets/chats/chat-documents.js'
import { embed } from '../../../first-layer/embed.js'
import { Model } from '../../../first-layer/embeddings/model.js'
import { bindPositionEmbedding } from '../../../first-layer/embeddings/positions/position-embedding.js'
import { allocateTables } from '../../../first-layer/embeddings/table-memory.js'
import { checkUnicode, jsonText, parseJson } from '../../../first-layer/json.js'
import { neighborQueries, rowText, searchedTable } from '../../../first-layer/neighbor-queries.js'
import { nearestRows } from '../../../first-layer/neighbors/search.js'
import { neighborsRequest } from '../../../first-layer/neighbors-request.js'
import { parse } from '../../../first-layer/options/parse.js'
import { queryReader } from '../../../first-layer/options/query.js'
import { gathered } from '../../../first-layer/tensors/blocks.js'
import { byteLength, type NamedTensor } from '../../../first-layer/tensors/named-tensor.js'
import { noNpyType, npyFile } from '../../../first-layer/tensors/npy.js'
import { safetensorsFile } from '../../../first-layer/tensors/safetensors/safetensors-file.js'
import { tokenize, tokenizedTensors } from '../../../first-layer/tokenize.js'
import { loadEncoding } from '../../../first-layer/tokens/encoding.js'
import { isUtf8 } from '../../../first-layer/tokens/unicode/is-utf8.js'
import { bytesOfToken } from '../../../first-layer/tokens/vocabulary.js'
import { IdLists } from '../../../first-layer/windows/id-lists.js'
import { chatText } from '../../../library/render.js'
import { bodyOf, InletError, shown, statusOf } from '../../../service/answer/error-table.js'
import { modelNotFound } from '../../../service/models/errors.js'
import { pythonFields } from '../../../service/request/chat/chat.js'
import { detokenizeRequest, tokenizeRequest } from '../../../service/request/fields/tokenize-request.js'

/** A request as HTTP has it. */
interface Asked {
  readonly id: number
  readonly method: string
  /** `v1/tokenize`, with its query. */
  readonly target: string
  /** Absent: the answer's tensors are typed arrays. */
  readonly accept?: string
  /** JSON. */
  readonly body: string
}

declare const self: {
  onmessage(message: { readonly data: Asked }): void
  postMessage(answer: unknown, moved?: readonly ArrayBufferLike[]): void
}

const ID = 'default'
const ENCODING = CARD_DEFAULTS.encoding
const card = seedCard(ID, readCard({ embedding_dim: CARD_DEFAULTS.embedding_dim }))
/** Of a text that a template makes: any length. */
const MOST = Number.POSITIVE_INFINITY

async function open(): Promise<Model> {
  enableProdMode()
  const loading = loadEncoding(ENCODING)
  await setBackend('cpu')
  const tables = allocateTables(parametersOf(card), widestRow(card), 1)
  drawFromSeed(tables, card)
  const spec = specOf(card, await loading)
  return new Model({ spec, version: '1', tables, thread: 0, drawn: (name) => drawnOnDemand(card, name) })
}

const opened = open()

async function modelOf(id: string | undefined): Promise<Model> {
  if (id !== undefined && id !== ID) throw modelNotFound(id, [ID])
  return opened
}

async function tokenizerOf({ model, encoding }: { readonly model?: string; readonly encoding?: string }) {
  if (encoding === undefined || encoding === ENCODING) return (await modelOf(model)).spec.tokenizer
  const message = `\`encoding\` must be ${ENCODING} in a browser. Given: ${shown(encoding)}`
  throw new InletError('model_not_found', message, 'encoding')
}

function read<S extends z.ZodType>(schema: S, body: string, change?: typeof pythonFields): z.output<S> {
  const value = parseJson(jsonText(Buffer.from(body)))
  checkUnicode(value, body)
  if (change !== undefined) run(change(value, body))
  return parse(schema, value)
}

/** The media types of tensors here. */
const NPY = { single: true, refuses: noNpyType }
const ANY = { single: false }
const formatOf = ({ accept = '' }: Asked) => (accept.startsWith('application/x-npy') ? NPY : ANY)

const routes: Readonly<Record<string, (asked: Asked, query: string) => Promise<Answer | object>>> = {
  'POST v1/input-embeddings': async (asked) => {
    const format = formatOf(asked)
    const options = read(embeddingRequest, asked.body)
    const given = (options.input_ids ?? options.text)!
    return embed(await modelOf(options.model), given, options, {
      format,
      tokenTypes: options.token_type_ids,
    })
  },
  'GET v1/models/default/position-embeddings': async (_asked, query) => {
    const { context_length: length = 1, ...options } = queryReader(rawTextOptions)(query)
    const model = await opened
    const { position_embedding: asked } = options
    const position = asked === undefined ? model.spec.position : bindPositionEmbedding(asked)
    const ids = new IdLists()
    ids.add(new Array(length).fill(0))
    const { counts: _, ...answer } = await embed(model, ids, {
      ...{ outputs: [...position.tensorNames], ...options },
      ngram_context: undefined,
    })
    return answer
  },
  'POST v1/tokenize': async ({ body }) => {
    const options = read(tokenizeRequest, body, pythonFields)
    const tokenizer = await tokenizerOf(options)
    const chat = options.messages ? { ...options, messages: options.messages } : undefined
    const masked = chat && options.mask ? await maskedChat(card, chat, options.mask, MOST) : undefined
    const text = masked?.text ?? (chat ? run(chatText(card, chat, MOST)) : options.text!)
    const documents = await tokenize(tokenizer, text, options)
    const { ids } = documents
    const list = Array.isArray(text) ? documents : undefined
    const model = options.encoding === undefined ? ID : undefined
    const answer = tokenizedTensors(tokenizer, ids, model, list, masked && lossMask(tokenizer, masked, ids))
    if (options.count_only) return Object.fromEntries(countFields(answer.counts))
    return answer
  },
  'POST v1/detokenize': async ({ body }) => {
    const { input_ids: given, ...options } = read(detokenizeRequest, body)
    const { vocabulary } = await tokenizerOf(options)
    const texts = Array.from({ length: given.count }, (_, d) => {
      const ids = new Int32Array(given.documents.length(d))
      given.documents.copyTo(ids, 0, d, 0, ids.length)
      const bytes = Buffer.concat(Array.from(ids, (id) => bytesOfToken(vocabulary!, id) ?? new Uint8Array()))
      return { text: bytes.toString(), lossy: !isUtf8(bytes) }
    })
    return given.isList ? { documents: texts } : texts[0]!
  },
  'POST v1/models/default/neighbors': async ({ body }) => {
    const options = read(neighborsRequest, body)
    const model = await opened
    const searched = searchedTable(model, options.table)
    const queries = await neighborQueries(model, searched, options)
    const found = await nearestRows(model, { ...options, ...searched, table: searched.name, queries })
    const texts = found.map((list) =>
      list.map(({ id, score }) => ({ id, text: rowText(model, searched, id), score })),
    )
    return { model: ID, model_version: model.version, neighbors: texts }
  },
  'GET v1/models': async () => ({ object: 'list', data: [await described()] }),
  'GET v1/models/default': described,
}

async function described(): Promise<object> {
  const { spec } = await opened
  const { seed, init_std } = CARD_DEFAULTS
  return {
    ...{ id: ID, object: 'model', encoding: ENCODING, tokenizer: { available: true }, memory: null },
    ...{ vocab_size: spec.vocabSize, embedding_dim: spec.embeddingDim, pad_token_id: spec.padTokenId },
    ...{ max_position_embeddings: spec.maxPositionEmbeddings, architecture: spec.architecture.name },
    ...{ position_embedding: spec.position.type, tables: { source: 'seed', seed: Number(seed), init_std } },
  }
}

async function answer(asked: Asked): Promise<Answer | object> {
  const [path = '', query = ''] = asked.target.split('?')
  const route = routes[`${asked.method} ${path}`]
  if (route !== undefined) return route(asked, query)
  throw new InletError('not_found', `There is no ${asked.method} /${path} in a browser: it needs a service.`)
}

const ARRAYS = {
  ...{ float32: Float32Array, float16: Uint16Array, bfloat16: Uint16Array },
  ...{ int32: Int32Array, int64: BigInt64Array },
}

function typed(tensor: NamedTensor) {
  const { name, dtype, shape } = tensor
  const { buffer } = gathered({ bytes: byteLength(tensor), blocks: () => tensor.blocks() })
  return [name, { dtype, shape, data: new ARRAYS[dtype](buffer as ArrayBuffer) }] as const
}

/** The answer as bytes with a media type; without `accept` as a value, whose tensors are typed arrays. */
function encoded(asked: Asked, found: Answer | object) {
  if (!('tensors' in found)) return { value: found, type: 'application/json' }
  const { tensors, model, modelVersion, counts, metadata } = found
  if (asked.accept === undefined) {
    const facts = { model, model_version: modelVersion, ...Object.fromEntries(countFields(counts)), metadata }
    return { value: { ...facts, outputs: Object.fromEntries(tensors.map(typed)) } }
  }
  if (formatOf(asked) === NPY) return { bytes: gathered(npyFile(tensors[0])), type: 'application/x-npy' }
  const bytes = gathered(safetensorsFile(fileMetadata(found), tensors))
  return { bytes, type: 'application/vnd.safetensors' }
}

self.onmessage = async ({ data: asked }) => {
  const { id } = asked
  try {
    const found = encoded(asked, await answer(asked))
    self.postMessage({ id, status: 200, ...found }, 'bytes' in found ? [found.bytes!.buffer] : [])
  } catch (error) {
    const known =
      error instanceof InletError ? error : new InletError('internal', `The page failed: ${String(error)}`)
    self.postMessage({ id, status: statusOf(known), type: 'application/json', value: bodyOf(known) })
  }
}
