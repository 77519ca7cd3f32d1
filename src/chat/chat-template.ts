import type { Step } from '../first-layer/steps.js'
import { lateNames } from './jinja/late-names.js'
import type { Statement } from './jinja/nodes.js'
import { parseTemplate } from './jinja/parser.js'
import { renderTemplate } from './jinja/render.js'
import type { Value } from './jinja/values.js'
import { unsupported } from './refusals.js'

/** Most characters of a template. */
const MAX_TEMPLATE = 1 << 18
/** Parsed templates that are kept. */
const KEPT = 32

const parsed = new Map<string, ChatTemplate>()

/** A chat template: Jinja, as transformers reads it. */
export class ChatTemplate {
  private constructor(
    readonly source: string,
    private readonly body: readonly Statement[],
    private readonly late: ReadonlySet<string>,
  ) {}

  /** Reads a template; the last ones are kept. @throws InletError `template_unsupported`, `template_failed` */
  static of(source: string): ChatTemplate {
    const kept = parsed.get(source)
    if (kept !== undefined) return kept
    if (source.length > MAX_TEMPLATE)
      throw unsupported('the template', `has more than ${MAX_TEMPLATE} characters`)
    const body = parseTemplate(source)
    const template = new ChatTemplate(source, body, lateNames(body))
    if (parsed.size >= KEPT) parsed.delete(parsed.keys().next().value!)
    parsed.set(source, template)
    return template
  }

  /**
   * The text of a chat.
   *
   * @param unknown names of variables whose values nobody knows
   * @param maxCharacters of the text
   * @throws InletError as {@link of}
   */
  *render(
    variables: ReadonlyMap<string, Value>,
    unknown: ReadonlySet<string>,
    maxCharacters: number,
  ): Generator<Step, string, void> {
    for (const name of variables.keys())
      if (this.late.has(name))
        throw unsupported(`an assignment to \`${name}\``, 'stands after a use in an inner scope')
    return yield* renderTemplate(this.body, variables, unknown, maxCharacters)
  }
}
