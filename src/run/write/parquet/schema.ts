import type { SchemaElement } from 'hyparquet'

/** Lists within lists, parents first, as Parquet's LogicalTypes.md has them; no level has nulls. */
export function listSchema(
  name: string,
  depth: number,
  element: Omit<SchemaElement, 'name'>,
): SchemaElement[] {
  if (depth === 0) return [{ ...element, name, repetition_type: 'REQUIRED' }]
  return [
    {
      ...{ name, repetition_type: 'REQUIRED', num_children: 1 },
      ...{ converted_type: 'LIST', logical_type: { type: 'LIST' } },
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...listSchema('element', depth - 1, element),
  ]
}

/** The path of the same: `a.list.element.list.element`. */
export function listPath(name: string, depth: number): readonly string[] {
  return [name, ...Array.from({ length: depth }, () => ['list', 'element']).flat()]
}

/** The root, and its children's schemas. */
export function rootSchema(columns: readonly SchemaElement[][]): SchemaElement[] {
  return [{ name: 'schema', num_children: columns.length }, ...columns.flat()]
}
