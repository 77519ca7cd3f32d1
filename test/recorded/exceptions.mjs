/**
 * Differences that are meant. Each has its reason, and patterns that the difference matches: the place that it is at
 * (`CONFIGURATION METHOD PATH`), its kind, the request's headers and body, the parts of the answers that differ, the beginnings of the earlier and the later answer.
 */
export const EXCEPTIONS = [
  {
    place: / POST \/v1\/((de)?tokenize|prompt-embeds)$| GET \/v1\/datasets\/\S+\/documents\//,
    kind: /^header (content-length|transfer-encoding)$/,
    reason: 'long JSON answers are chunked',
  },
  {
    place: /limits POST \/v1\/(de)?tokenize$|limits GET \S+position-embeddings/,
    kind: /^(status 200 {2}→ 413 response_too_large|body error\.message)$/,
    reason: 'the size of a JSON answer that is not written yet is counted otherwise',
  },
  { kind: /^order of headers$/, reason: 'Fastify writes the heads of answers' },
  {
    kind: /^body error(\.message)?$/,
    before: /^"(The body|Line \d+) must be JSON: /,
    after: /^"(The body|Line \d+) must be JSON: /,
    reason: 'JSON.parse says what is no JSON',
  },
  {
    kind: /^body error(\.\w+)?$/,
    earlier: /at most 65536 bytes of JSON|at most 256 keys|nested at most 64 deep/,
    reason:
      'one scan looks at a body’s brackets and keys; schemas tell of fields that there are not, however long',
  },
  {
    kind: /^body error(\.\w+)?$/,
    answer: /: a lone surrogate U\+/,
    reason: 'a body is looked at for lone surrogates before its fields are known',
  },
  {
    kind: /^(status 400 invalid_json → 413 body_too_large|body error\.message)$/,
    request: /"content-encoding":"gzip"/,
    after: /at most 2097152 bytes/,
    reason: 'MAX_JSON_BODY_BYTES is 2 MiB',
  },
  {
    kind: /^body (data\.\*\.)?limits\.max_json_body_bytes$/,
    reason: 'MAX_JSON_BODY_BYTES is 2 MiB',
  },
  {
    kind: /^body error\.message$/,
    before: /at most 8388608 bytes/,
    reason: 'MAX_JSON_BODY_BYTES is 2 MiB',
  },
  {
    place: / \/v2\/(models(\/\w+)?\/stats|repository\/\S+)$/,
    kind: /^(status \d+ {2}→ (501|401) |header allow|body error)$/,
    reason: 'the Open Inference Protocol’s statistics and repository routes went',
  },
  {
    place: / \/v2\/?$/,
    kind: /^body extensions(\.\*)?$/,
    reason: 'the Open Inference Protocol’s statistics and repository routes went',
  },
  {
    place: / \/v2\/(\S+\/)?(trace|logging|systemsharedmemory|cudasharedmemory)\b/,
    kind: /^body error$/,
    reason: 'a 501 names its route',
  },
  {
    place: /\/infer$/,
    kind: /^(body|header (content-encoding|vary))$/,
    request: /"accept-encoding":/,
    reason: 'packed answers of the Open Inference Protocol went',
  },
  {
    place: /\/infer$/,
    kind: /^status 400 {2}→ 200 $/,
    request: /"shape":\[2,1\],"datatype":"BYTES"/,
    reason: 'texts of the shape [n, 1] are taken nested too',
  },
  {
    place: / (GET|HEAD) (\/|"GET (\*|\/) .*)$/,
    kind: /^(body routes\.\*|header content-length)/,
    reason: 'lists the routes: the completions proxy, chunks, soft prompts and those of TEI and Cohere went',
  },
  {
    place: / (GET|HEAD) \/openapi\.(json|yaml)$/,
    kind: /^body/,
    reason: 'tells of the routes, fields and errors that there are',
  },
  {
    place: / GET \/metrics$/,
    kind: /^body inlet_(log_lines_dropped|longest_turn|turns_over_10ms|caller|response_bytes_total)/,
    reason:
      'metrics of turns, dropped lines, rates and Arrow went; prom-client counts callers by two, told always',
  },
  {
    place: / GET \/metrics$/,
    kind: /^body inlet_(http_requests|errors|model_requests|model_tokens|tokens|windows)_total$/,
    reason:
      'they count requests that are answered otherwise, by the routes, formats and codes that there are',
  },
  {
    kind: /^body (data\.\*\.)?error(\.message)?$/,
    after: /docs\/model-types\.md has those that are/,
    reason: 'a family that is not served is told without kin',
  },
  {
    kind: /^header access-control-expose-headers$/,
    reason: 'all headers of the document, in its order',
  },
  {
    kind: /^header access-control-allow-headers$/,
    reason: 'a page may send `Inference-Header-Content-Length`',
  },
  {
    kind: /^body error\.message$/,
    before: /application\/vnd\.apache\.arrow\.stream/,
    reason: 'Arrow went from the formats of answers',
  },
  {
    kind: /^body error\.message$/,
    after: /start it with `ADMIN_KEY`/,
    reason: 'the message names the way out',
  },
  {
    kind: /^(body error\.(message|code|param)|status (405|404|401) \w* → 404 (not_found)?)$/,
    place: / (\/v1\/models\/\.\.\/default|\/v1\/models\/\w+\/(tables|load))$/,
    reason: 'no path is rewritten: a slash in a model’s id is %2F, as the message says',
  },
  {
    kind: /^body error(\.message)?$/,
    after: /makes one of fewer/,
    reason: 'the message names the way out',
  },
  {
    kind: /^body error\.message$/,
    after: /\(MAX_DOCUMENTS\)\. Given: \d+"/,
    reason: 'the message tells how many were given',
  },
  {
    kind: /^body error\.message$/,
    after: /the width of an embedding of /,
    reason: 'a model whose `truncate_dim` is smaller has embeddings that are narrower than its table',
  },
  {
    kind: /^body (data\.\*\.)?pooling\.dimensions$/,
    reason: '`truncate_dim` of config_sentence_transformers.json is kept, so cards tell the width',
  },
  {
    place: /^commands inlet( \w+)?( --help| )?$/,
    kind: /^(stdout|stderr)$/,
    before: /Usage: inlet/,
    after: /Usage: inlet/,
    reason:
      'commander writes the pages of help; `demo`, `dataset show` and `plan`, flags of what went are not in them',
  },
  {
    place: /^commands /,
    kind: /^stderr$/,
    after: /Unknown (command|option) |Missing required argument | is one file too many/,
    reason: 'commander says what is wrong with a command line',
  },
  {
    place: /^commands inlet embed /,
    kind: /^stderr$/,
    before: /^(inlet: `|…)/,
    after: /^inlet: --/,
    reason: 'a message has the flag in place of the field',
  },
  {
    place: /^commands inlet (embed|run) /,
    kind: /^stderr$/,
    before: /, (\.arrow|"arrow")/,
    reason: 'Arrow went from the formats of answers, and Arrow and Parquet from the outputs of `inlet run`',
  },
  {
    place: /^commands inlet models absent$/,
    kind: /^stderr$/,
    after: /absent cannot be read: ENOENT/,
    reason: 'a file or folder that cannot be read is told in one form',
  },
  {
    place: /^commands inlet models MODELS/,
    kind: /^stdout$/,
    reason:
      'a family that is not served is told without kin; `dtype` stands before `max_position_embeddings`',
  },
  {
    place: / \/v1\/models\/[\w-]+\/optimizer$/,
    kind: /^body stored$/,
    reason: 'learning’s journal went: what is kept are checkpoints',
  },
  {
    place: / GET \/v1\/models\/[\w-]+\/checkpoint$/,
    kind: /^body$/,
    before: /"answers/,
    reason: 'learning’s journal went, and with it how a call’s digest is made',
  },
  {
    place: / \/v1\/datasets\b/,
    request: /"labels":/,
    kind: /^status 201 {2}→ 400 invalid_request$/,
    reason: 'members of a line that would be lost are refused by name',
  },
  {
    kind: /^status 404 model_not_found → 400 invalid_unicode$/,
    reason: 'a body is looked at for lone surrogates before its fields are known',
  },
  {
    place: / GET "HEAD \/v2 /,
    kind: /^header content-length$/,
    reason: 'the Open Inference Protocol’s statistics and repository routes went',
  },
  {
    kind: /^body error\.message$/,
    after: /must be percent-encoded UTF-8\. Given: |above 0 and below 10\^9/,
    reason: 'the message tells the rule and what was given',
  },
  {
    place: / POST \/v1\/datasets$/,
    kind: /^body error\.(message|param)$/,
    answer: /"param":"mixture\.0\.dataset"/,
    reason: 'the message names the member of a mixture',
  },
  {
    place: /inlet serve/,
    kind: /^stdout$/,
    request: /--help/,
    reason: 'a feature’s flags have a group of their own',
  },
  {
    kind: /^body (data\.\*\.)?(memory|hidden_streams|disk_table_bytes)$/,
    before: /^\(absent\)/,
    reason: 'a model tells of rows that its blocks look up',
  },
  {
    kind: /^(body error(\.message)?|stderr)$/,
    after: /hidden_streams, per_layer_inputs, per_layer_projected, ngram_ids, ngram_embeddings/,
    reason: 'rows that blocks look up are outputs',
  },
  {
    place: /inlet( --help| embed)?\s*$/,
    kind: /^std(out|err)$/,
    reason: 'the command `check`, and the flag --ngram-context',
  },
  {
    place: /^commands inlet (embed|pull|serve)/,
    kind: /^stdout$/,
    after: /No progress and no summary|docs\/architectures\.md/,
    reason: 'the help tells what `--quiet` leaves out, and which page tells of architectures',
  },
  {
    kind: /^body$/,
    request: /"architecture":"deberta/,
    reason: 'a masked row is multiplied by 0, as in PyTorch: what was negative is −0',
  },
]

/** The reason why a difference is meant; undefined where it is not. */
export function reasonFor(difference) {
  const names = ['place', 'kind', 'request', 'before', 'after', 'earlier', 'answer']
  const isMeant = (each) =>
    names.every((name) => each[name] === undefined || each[name].test(difference[name]))
  return EXCEPTIONS.find(isMeant)?.reason
}
