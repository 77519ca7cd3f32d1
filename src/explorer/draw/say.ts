import { signal } from '@preact/signals'

/** What a screen reader is to say next. */
export const spoken = signal('')

export function say(words: string): void {
  spoken.value = words
}
