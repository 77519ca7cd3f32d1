/** The limits on bodies and answers, in bytes, and on documents, under the names of their variables. */
export interface LimitVariables {
  readonly MAX_BODY_BYTES: number
  readonly MAX_JSON_BODY_BYTES: number
  readonly MAX_JSON_RESPONSE_BYTES: number
  readonly MAX_RESPONSE_BYTES: number
  readonly MAX_DOCUMENTS: number
}
