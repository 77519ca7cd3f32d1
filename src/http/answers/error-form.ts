import { bodyOf, type ErrorCode, type InletError, statusOf } from '../../errors.js'

/** An error answer's body and its `Content-Type`. */
export interface ErrorForm {
  readonly body: object
  readonly contentType: string
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Errors whose type in Text Embeddings Inference is not `Validation`. */
const TEI_TYPES: Readonly<Partial<Record<ErrorCode, string>>> = {
  empty_input: 'Empty',
  ...{ overloaded: 'Overloaded', rate_limited: 'Overloaded', deadline_exceeded: 'Overloaded' },
  ...{ loading: 'Unhealthy', model_loading: 'Unhealthy', model_failed: 'Unhealthy' },
  ...{ tokenizer_unavailable: 'Tokenizer', token_out_of_range: 'Tokenizer' },
  ...{ internal: 'Backend', unsupported_combination: 'Backend', insufficient_memory: 'Backend' },
}

/** Other forms than the table's, by the paths whose clients read them; the first that fits counts. */
const FORMS: readonly { readonly paths: RegExp; form(error: InletError): ErrorForm }[] = [
  {
    paths: /^\/v2\/embed(?=[/?]|$)/, // Cohere's
    form: ({ message }) => ({ body: { message }, contentType: JSON_TYPE }),
  },
  {
    paths: /^\/v2(?=[/?]|$)/, // the Open Inference Protocol's: KServe's client takes this type to the letter
    form: ({ message }) => ({ body: { error: message }, contentType: 'application/json' }),
  },
  {
    paths: /^\/tei\/[^?]*\/v1\/embeddings(?=[/?]|$)/,
    form: (error) => {
      const body = { message: error.message, code: statusOf(error), type: teiType(error) }
      return { body, contentType: JSON_TYPE }
    },
  },
  {
    paths: /^\/tei(?=[/?]|$)/,
    form: (error) => ({ body: { error: error.message, error_type: teiType(error) }, contentType: JSON_TYPE }),
  },
]

/** An error in the form that clients of the path's protocol read: by default with type, code, message and param. */
export function errorForm(error: InletError, url: string): ErrorForm {
  const other = FORMS.find(({ paths }) => paths.test(url))
  return other?.form(error) ?? { body: bodyOf(error), contentType: JSON_TYPE }
}

function teiType({ code }: InletError): string {
  return TEI_TYPES[code] ?? 'Validation'
}
