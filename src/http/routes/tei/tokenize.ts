import type { FastifyInstance } from 'fastify'
import { allowedSpecialSet } from '../../../first-layer/tokens/allowed-special.js'
import { TextDocuments } from '../../../first-layer/windows/text-documents.js'
import { drive } from '../../../load/drive.js'
import type { Models } from '../../../models/library/models.js'
import { listDocuments } from '../../../requests/list-documents.js'
import { withPrompt } from '../../../requests/named-prompt.js'
import { preparedText } from '../../../requests/prepared-text.js'
import { staticPooling } from '../../../requests/static-model.js'
import { textsUtf8 } from '../../../requests/text-ids.js'
import { responseTooLarge } from '../../../requests/too-large.js'
import { preferred } from '../../../wire/formats/registry.js'
import { isList } from '../../../wire/given.js'
import { teiTokenizeRequest } from '../../../wire/schemas/tei.js'
import { teiTokens } from '../../../wire/tei-tokens.js'
import { measured } from '../../../wire/tokenized-items.js'
import { sendEncoded } from '../../answers/send-encoded.js'
import { jsonBody } from '../../body/json-body.js'
import type { LimitVariables } from '../../limit-variables.js'
import type { ModelPath } from '../admin/model-path.js'
import { askedTokenizer } from '../asked-tokenizer.js'

const JSON_TYPE = 'application/json'

/** `POST /tei/{model}/tokenize`: tokens with their places in the bytes of prompt and text. */
export function addTeiTokenize(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = { config: { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } } }
  const limit = limits.MAX_JSON_RESPONSE_BYTES
  app.post<ModelPath>('/tei/:model/tokenize', options, async (request, reply) => {
    const { claim, params } = request
    const body = await jsonBody(request, teiTokenizeRequest, limits)
    preferred(request.headers.accept, [JSON_TYPE])
    const tokenizer = await askedTokenizer(request, models, params)
    const pooling = {
      ...withPrompt(staticPooling(models.card(params.model)), body.prompt_name),
      maxLength: null,
    }
    const texts = (isList(body.inputs) ? body.inputs : [body.inputs]).map((text) =>
      preparedText(text, pooling),
    )
    const allowedSpecial = allowedSpecialSet(tokenizer, undefined)
    const asked = { allowedSpecial, addSpecialTokens: body.add_special_tokens, ranges: true }
    const started = performance.now()
    request.trace?.enter('tokenize')
    const list = await drive(claim, listDocuments(TextDocuments, tokenizer, texts, asked, 'inputs'))
    request.figures = { numTokens: list.ids.length, tokenizeMs: performance.now() - started }
    const utf8 = list.ids.ranges && (await drive(claim, textsUtf8(texts)))
    const answer = await drive(
      claim,
      measured(() => teiTokens(tokenizer, list, utf8), limit),
    )
    if (answer === undefined) throw responseTooLarge(JSON_TYPE, limit, `more than ${limit} bytes`)
    return sendEncoded(request, reply, answer, `${JSON_TYPE}; charset=utf-8`, limit)
  })
}
