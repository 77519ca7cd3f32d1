import { unsupported } from './errors.js'
import { tokens } from './jinja/lexer.js'
import { type Template, TemplateParser } from './jinja/template.js'
import type { Steps } from './steps.js'

/** Most characters of a template. */
const MAX_TEMPLATE = 1 << 17
/** Most characters of the templates that are kept. */
const KEPT = 1 << 19
/** Most bytes of a template’s tokens and tree for each of its characters. */
const CHARACTER_BYTES = 100

/** The last used ones stand last. */
const all = new Map<string, Template>()
let kept = 0

/** Reads a template; the last used ones are kept. @throws ChatError `template_unsupported`, `template_failed` */
export function* readTemplate(source: string): Steps<Template> {
  let template = all.get(source)
  if (template === undefined) {
    if (source.length > MAX_TEMPLATE)
      throw unsupported('the template', `has more than ${MAX_TEMPLATE} characters`)
    yield source.length * CHARACTER_BYTES
    template = yield* new TemplateParser(yield* tokens(source)).template(source)
  }
  if (all.delete(source)) kept -= source.length
  all.set(source, template)
  kept += source.length
  for (const oldest of all.keys()) {
    if (kept <= KEPT) break
    all.delete(oldest)
    kept -= oldest.length
  }
  return template
}
