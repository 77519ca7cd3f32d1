import { parseTemplate, type Rendered, renderTemplate, type Template } from './jinja/template.js'
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
    private readonly template: Template,
  ) {}

  /** Whether a `{% generation %}` block stands in it. */
  get hasGeneration(): boolean {
    return this.template.generations.length > 0
  }

  /** Reads a template; the last used ones are kept. @throws ChatError `template_unsupported`, `template_failed` */
  static *of(source: string): Steps<ChatTemplate> {
    const found = parsed.get(source)
    if (found === undefined && source.length > MAX_TEMPLATE)
      throw unsupported('the template', `has more than ${MAX_TEMPLATE} characters`)
    if (found === undefined) yield source.length * CHARACTER_BYTES
    const template = found ?? new ChatTemplate(source, yield* parseTemplate(source))
    if (parsed.delete(source)) kept -= source.length
    parsed.set(source, template)
    kept += source.length
    for (const [oldest] of parsed) {
      if (kept <= KEPT) break
      parsed.delete(oldest)
      kept -= oldest.length
    }
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
    if (withSpans && this.template.generations.includes(true))
      throw unsupported(
        'a `{% generation %}` block in another block',
        'has a span that transformers miscounts',
      )
    for (const name of variables.keys())
      if (this.template.late.has(name))
        throw unsupported(`an assignment to \`${name}\``, 'stands after a use in an inner scope')
    return yield* renderTemplate(this.template, variables, unknown, maxCharacters)
  }
}
