/** The tables that rows are looked up in, by their names in a checkpoint, in the order in which a seed draws them. */
export const TABLE_NAMES = ['wte.weight', 'wpe.weight', 'wtt.weight'] as const
export type TableName = (typeof TABLE_NAMES)[number]
