import { inject } from 'vitest'

// Imported by the tests of what is built: an old build would be tested instead of the sources.
const stale = inject('staleBuild')
if (stale !== null) throw new Error(stale)
