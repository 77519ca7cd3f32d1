import { effect, signal } from '@preact/signals'
import { fragmentOf, readFragment } from './recipe.js'
import { recipe, step } from './store.js'
import { goTo } from './walk.js'

/** The note about a link that has lost its text; '' for none. */
export const linkNote = signal('')

/** Milliseconds of rest before the address changes: browsers bound how often it may. */
const REST_MS = 400

/** Opens the recipe of the address, then keeps the address at what is asked for. */
export function startLink(): void {
  open()
  addEventListener('hashchange', open)
  let isFirst = true
  effect(() => {
    const [current, at] = [recipe.value, step.value]
    if (isFirst) {
      isFirst = false
      return
    }
    const timer = setTimeout(() => history.replaceState(null, '', fragmentOf(current, at)), REST_MS)
    return () => clearTimeout(timer)
  })
}

function open(): void {
  const shared = readFragment(location.hash)
  if (shared === undefined) return
  const { recipe: opened, step: at } = shared
  if (at !== undefined) goTo(at)
  recipe.value = { text: recipe.value.text, ...opened }
  linkNote.value =
    opened.text === undefined ? 'The text was too long for this link: its recipe stands below.' : ''
}
