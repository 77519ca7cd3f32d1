/** Keys in the examples. */
export const EXAMPLE_KEYS = { user: 'not-a-secret', admin: 'not-a-secret-either' } as const
