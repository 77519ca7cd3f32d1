import { effect, signal } from '@preact/signals'
import { fragmentOf, known, LinkError, readFragment, type Shared } from './link.js'
import { steps } from './steps.js'
import { recipe } from './store.js'
import { goTo, step } from './walk.js'

/** The note about the link that was opened or copied; '' for none. */
export const linkNote = signal('')

/** Milliseconds of rest before the address changes: browsers bound how often it may. */
const REST_MS = 400

const SHORTENED = 'The text is too long for a link: it has the recipe alone.'

/** Opens the recipe of the address, then keeps the address at what is asked for. */
export async function startLink(): Promise<void> {
  await openFragment()
  addEventListener('hashchange', openFragment)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isFirst = true
  effect(() => {
    recipe.value
    step.value
    clearTimeout(timer)
    if (!isFirst) timer = setTimeout(write, REST_MS)
    isFirst = false
  })
}

/** The page's address, with what is asked for now. */
export async function linkOfPage(): Promise<string> {
  const { fragment, hasText } = await fragmentOf(recipe.value, step.value)
  linkNote.value = hasText ? '' : SHORTENED
  return new URL(fragment, location.href).href
}

async function write(): Promise<void> {
  const [current, at] = [recipe.value, step.value]
  const { fragment } = await fragmentOf(current, at)
  if (current === recipe.value && at === step.value) history.replaceState(history.state, '', fragment)
}

async function openFragment(): Promise<void> {
  const { hash } = location
  try {
    const shared = await readFragment(hash)
    if (shared !== undefined && hash === location.hash) show(shared)
  } catch (reason) {
    if (!(reason instanceof LinkError)) throw reason
    linkNote.value = reason.message
  }
}

function show({ recipe: { text, ...others }, step: at }: Shared): void {
  linkNote.value =
    text === undefined
      ? 'The text was too long for this link: its recipe stands below with the text that is here.'
      : ''
  if (at !== undefined && at < steps.length) goTo(at)
  recipe.value = known({ text: text ?? recipe.value.text, ...others })
}
