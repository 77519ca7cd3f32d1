export {
  type AppliedChatTemplate,
  applyChatTemplate,
  type ChatTemplateOptions,
} from './apply-chat-template.js'
export { type Chat, type ChatFiles, chatSteps, type OpenChat, openChat, renderChat } from './chat.js'
export { ChatError, type ChatErrorCode } from './errors.js'
export { MAX_LEVELS, MAX_STEPS, MAX_STEPS_AT_ONCE } from './jinja/budget.js'
export type { RenderedChat, Span } from './jinja/template.js'
export { type Dict, Float, isDict, isList, type Value } from './jinja/values.js'
export { strip } from './jinja/white-space.js'
export { parseJson, readValues } from './read-values.js'
export { PAUSE, run, type Step, type Steps } from './steps.js'
