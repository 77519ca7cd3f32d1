import { lateNames } from './jinja/late-names.js'
import type { Statement } from './jinja/nodes.js'
import { parseTemplate } from './jinja/parser.js'
import { type Rendered, renderTemplate } from './jinja/render.js'
import type { Value } from './jinja/values.js'
import { unsupported } from './refusals.js'
import type { Steps } from './steps.js'

/** Most characters of a template. */
const MAX_TEMPLATE = 1 << 17
/** Most characters of the parsed templates that are kept. */
const KEPT = 1 << 19
/** Most bytes of a template’s tokens and tree for each of its characters. */
const CHARACTER_BYTES = 100

/** The last used ones stand last. */
const parsed = new Map<string, ChatTemplate>()
let kept = 0

/** A chat template: Jinja, as transformers reads it. */
export class ChatTemplate {
  private constructor(
    readonly source: string,
    private readonly body: readonly Statement[],
    private readonly late: ReadonlySet<string>,
  ) {}

  /** Whether a `{% generation %}` block stands in it. */
  get hasGeneration(): boolean {
    return generations(this.body).next().done === false
  }

  /** Reads a template; the last used ones are kept. @throws ChatError `template_unsupported`, `template_failed` */
  static *of(source: string): Steps<ChatTemplate> {
    const found = parsed.get(source)
    if (found !== undefined) {
      parsed.delete(source)
      parsed.set(source, found)
      return found
    }
    if (source.length > MAX_TEMPLATE)
      throw unsupported('the template', `has more than ${MAX_TEMPLATE} characters`)
    yield source.length * CHARACTER_BYTES
    const body = yield* parseTemplate(source)
    const template = new ChatTemplate(source, body, yield* lateNames(body))
    keep(template)
    return template
  }

  /**
   * The text of a chat.
   *
   * @param unknown names of variables whose values are unknown
   * @param maxCharacters of the text
   * @param withSpans whether the spans of `{% generation %}` are wanted
   * @throws ChatError as {@link of}
   */
  *render(
    variables: ReadonlyMap<string, Value>,
    unknown: ReadonlySet<string>,
    maxCharacters: number,
    withSpans: boolean,
  ): Steps<Rendered> {
    // transformers counts the text before a block where the block stands in the template.
    if (withSpans && [...generations(this.body)].includes(true))
      throw unsupported(
        'a `{% generation %}` block in another block',
        'has a span that transformers miscounts',
      )
    for (const name of variables.keys())
      if (this.late.has(name))
        throw unsupported(`an assignment to \`${name}\``, 'stands after a use in an inner scope')
    return yield* renderTemplate(this.body, variables, unknown, maxCharacters)
  }
}

/** Each `{% generation %}` block: whether it stands in a block whose text is kept for later, or in a macro. */
function* generations(body: readonly Statement[], isKept = false): Generator<boolean, void, void> {
  for (const statement of body) {
    if (statement.kind === 'generation') yield isKept
    if (statement.kind === 'if')
      for (const branch of statement.branches) yield* generations(branch.body, isKept)
    if ('otherwise' in statement) yield* generations(statement.otherwise, isKept)
    if ('body' in statement) yield* generations(statement.body, isKept || statement.kind !== 'for')
  }
}

function keep(template: ChatTemplate): void {
  if (parsed.has(template.source)) return
  parsed.set(template.source, template)
  kept += template.source.length
  for (const [source] of parsed) {
    if (kept <= KEPT) break
    parsed.delete(source)
    kept -= source.length
  }
}
