import type { FastifyInstance } from 'fastify'
import { InletError } from '../../../errors.js'
import { TokenBuffer } from '../../../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import type { Documents } from '../../../first-layer/windows/documents.js'
import type { Claim } from '../../../load/claim.js'
import { drive, drivenBlocks } from '../../../load/drive.js'
import type { Models } from '../../../models/library/models.js'
import { textOfIds } from '../../../requests/text-of-ids.js'
import { isTurnOver, nextTurn } from '../../../turn.js'
import { preferred } from '../../../wire/formats/registry.js'
import { teiDecodeRequest } from '../../../wire/schemas/tei.js'
import { sendEncoded } from '../../answers/send-encoded.js'
import { jsonBody } from '../../body/json-body.js'
import type { LimitVariables } from '../../limit-variables.js'
import type { ModelPath } from '../admin/model-path.js'
import { askedTokenizer } from '../asked-tokenizer.js'

const JSON_TYPE = 'application/json'
const EMPTY = Buffer.from('""')
const ID_BYTES = 4

/** `POST /tei/{model}/decode`: the text of each list of ids. */
export function addTeiDecode(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = { config: { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } } }
  const limit = limits.MAX_JSON_RESPONSE_BYTES
  app.post<ModelPath>('/tei/:model/decode', options, async (request, reply) => {
    const { claim, params } = request
    const { ids, skip_special_tokens: skips } = await jsonBody(request, teiDecodeRequest, limits)
    preferred(request.headers.accept, [JSON_TYPE])
    const tokenizer = await askedTokenizer(request, models, params)
    request.figures = { numTokens: ids.length }
    const left = new Set(skips ? tokenizer.specialTokens.values() : [])
    const parts: Buffer[] = []
    let room = limit
    for (let d = 0; d < ids.documents.count; d++) {
      const kept = await without(ids.documents, d, left, claim)
      const text = kept.length === 0 ? EMPTY : await textJson(tokenizer, kept, { d, room, claim })
      parts.push(Buffer.from(d === 0 ? '[' : ','), text)
      room -= text.length + 1
    }
    parts.push(Buffer.from(']'))
    const size = parts.reduce((sum, part) => sum + part.length, 0)
    const answer = { size, exact: true, headers: {}, body: parts.values() as Generator<Buffer, void, void> }
    return sendEncoded(request, reply, answer, `${JSON_TYPE}; charset=utf-8`, limit)
  })
}

/** The ids of document `d` but for some. */
async function without(documents: Documents, d: number, left: ReadonlySet<number>, claim: Claim) {
  const length = documents.length(d)
  const wait = claim.take(ID_BYTES * length)
  if (wait !== undefined) await wait
  const kept = new TokenBuffer()
  const block = new Int32Array(Math.min(length, 1 << 12))
  for (let done = 0; done < length; done += block.length) {
    if (isTurnOver()) await nextTurn(claim)
    const count = Math.min(block.length, length - done)
    documents.copyTo(block, 0, d, done, count)
    kept.append(block.subarray(0, count).filter((id) => !left.has(id)))
  }
  return kept
}

/** The text of ids as a JSON string. @throws InletError `token_out_of_range`, `response_too_large` */
async function textJson(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  { d, room, claim }: { readonly d: number; readonly room: number; readonly claim: Claim },
): Promise<Buffer> {
  const answer = await (async () => drive(claim, textOfIds(tokenizer, ids, room)))().catch((error) => {
    throw error instanceof InletError && error.param?.startsWith('input_ids') ? ofList(error, d) : error
  })
  const wait = claim.take(answer.size)
  if (wait !== undefined) await wait
  const blocks: Buffer[] = []
  for await (const block of drivenBlocks(claim, answer.body)) blocks.push(Buffer.from(block))
  const json = Buffer.concat(blocks)
  return json.subarray('{"text":'.length, json.lastIndexOf(',"lossy":'))
}

/** The error about an id as one of list `d`; its place counts the ids that are not left out. */
function ofList({ code, message, param }: InletError, d: number): InletError {
  const renamed = (text: string) => text.replace(/input_ids/g, `ids.${d}`)
  return new InletError(code, renamed(message), param && renamed(param))
}
