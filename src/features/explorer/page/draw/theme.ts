import { signal } from '@preact/signals'
import type { Theme } from './colour-table.js'

const query = matchMedia('(prefers-color-scheme: dark)')

/** The colours that the reader's system asks for. */
export const theme = signal<Theme>(query.matches ? 'dark' : 'light')

query.addEventListener('change', () => {
  theme.value = query.matches ? 'dark' : 'light'
})
