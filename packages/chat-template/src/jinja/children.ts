import type { Arguments, Expression } from './nodes.js'

/** The expressions of which an expression is made. */
export function childrenOf(expression: Expression): (Expression | undefined)[] {
  switch (expression.kind) {
    case 'list':
    case 'tuple':
    case 'concat':
      return [...expression.items]
    case 'dict':
      return expression.items.flat()
    case 'attribute':
      return [expression.object]
    case 'item':
      return [expression.object, expression.key]
    case 'slice':
      return [expression.object, expression.start, expression.stop, expression.step]
    case 'call':
      return [expression.callee, ...argumentsOf(expression.args)]
    case 'filter':
    case 'test':
      return [expression.input, ...argumentsOf(expression.args)]
    case 'not':
    case 'negative':
    case 'positive':
      return [expression.operand]
    case 'and':
    case 'or':
    case 'binary':
      return [expression.left, expression.right]
    case 'compare':
      return [expression.first, ...expression.rest.map(([, right]) => right)]
    case 'condition':
      return [expression.test, expression.then, expression.otherwise]
    default:
      return []
  }
}

/** The children of arguments. */
export function argumentsOf({ positional, keyword }: Arguments): Expression[] {
  return [...positional, ...keyword.map(([, value]) => value)]
}
