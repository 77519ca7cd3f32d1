import { apiKey } from '../store.js'

/** Where the tab keeps its key: it is gone with the tab, and no other one has it. */
const NAME = 'inlet-key'

/** Takes the key that the tab has kept. A browser that keeps nothing for pages leaves it at none. */
export function restoreKey(): void {
  try {
    apiKey.value = sessionStorage.getItem(NAME) ?? ''
  } catch {
    // Storage is switched off: the key lives as long as the page.
  }
}

/** Calls bring this key from now on; '' forgets it. */
export function useKey(key: string): void {
  apiKey.value = key
  try {
    if (key === '') sessionStorage.removeItem(NAME)
    else sessionStorage.setItem(NAME, key)
  } catch {
    // Storage is switched off: the key lives as long as the page.
  }
}

/** Why a text cannot be a key; undefined where it can. */
export function whyNoKey(text: string): string | undefined {
  if (text === '') return 'Type the key.'
  return /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : 'A key has letters, digits and signs of ASCII, and no space between them.'
}
