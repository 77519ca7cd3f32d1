import { signal } from '@preact/signals'

/** Text that a screen reader speaks next. */
export const spoken = signal('')

export function say(words: string): void {
  spoken.value = words
}
