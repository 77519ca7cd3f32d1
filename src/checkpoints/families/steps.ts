/** What families do between their rows and the first block. */
export const plain = ['positions'] as const
export const scaled = ['scale', 'positions'] as const
export const encoder = ['types', 'positions', 'norm'] as const
/** An encoder whose tables are narrower than its blocks. */
export const narrow = ['types', 'positions', 'norm', 'project'] as const
