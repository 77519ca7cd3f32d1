// The tree of a template, as Jinja2's parser makes it.

export type Expression =
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'dict'; readonly items: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'attribute'; readonly object: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly object: Expression; readonly key: Expression }
  | {
      readonly kind: 'slice'
      readonly object: Expression
      readonly start?: Expression | undefined
      readonly stop?: Expression | undefined
      readonly step?: Expression | undefined
    }
  | { readonly kind: 'call'; readonly callee: Expression; readonly args: Arguments }
  | {
      readonly kind: 'filter'
      readonly input?: Expression | undefined
      readonly name: string
      readonly args: Arguments
    }
  | { readonly kind: 'test'; readonly input: Expression; readonly name: string; readonly args: Arguments }
  | { readonly kind: 'not' | 'negative' | 'positive'; readonly operand: Expression }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'binary'
      readonly operator: string
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'concat'; readonly items: readonly Expression[] }
  | {
      readonly kind: 'compare'
      readonly first: Expression
      readonly rest: readonly (readonly [string, Expression])[]
    }
  | {
      readonly kind: 'condition'
      readonly test: Expression
      readonly then: Expression
      readonly otherwise?: Expression | undefined
    }

/** The arguments of a call, a filter or a test. */
export interface Arguments {
  readonly positional: readonly Expression[]
  readonly keyword: readonly (readonly [string, Expression])[]
}

/** The target of an assignment: a name, several, or an attribute of a namespace. */
export type Target =
  | { readonly names: readonly string[]; readonly isTuple: boolean }
  | { readonly object: string; readonly attribute: string }

/** A parameter of a macro. */
export interface Parameter {
  readonly name: string
  readonly fallback?: Expression | undefined
}

export type Statement =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: Expression }
  | {
      readonly kind: 'for'
      readonly names: readonly string[]
      readonly isTuple: boolean
      readonly over: Expression
      readonly filter?: Expression | undefined
      readonly body: readonly Statement[]
      readonly otherwise: readonly Statement[]
    }
  | {
      readonly kind: 'if'
      readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[]
      readonly otherwise: readonly Statement[]
    }
  | { readonly kind: 'set'; readonly target: Target; readonly value: Expression }
  | {
      readonly kind: 'set_block'
      readonly name: string
      readonly filters: readonly Filter[]
      readonly body: readonly Statement[]
    }
  | {
      readonly kind: 'filter_block'
      readonly filters: readonly Filter[]
      readonly body: readonly Statement[]
    }
  | {
      readonly kind: 'macro'
      readonly name: string
      readonly parameters: readonly Parameter[]
      readonly body: readonly Statement[]
    }
  | { readonly kind: 'generation'; readonly body: readonly Statement[] }
  | { readonly kind: 'break' | 'continue' }

export interface Filter {
  readonly name: string
  readonly args: Arguments
}
