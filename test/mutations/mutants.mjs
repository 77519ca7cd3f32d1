import ts from 'typescript'

/** Operators and what each becomes. */
const OPERATORS = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.QuestionQuestionToken, '&&'],
])

const FUNCTIONS = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
])

/**
 * Every change of one place in a file: an operator, a condition, a number, a truth value, `Math.min`, a statement that
 * is left out. A module's own numbers (`const SLICE_BYTES = 1 << 16`) stay. `{ file, line, column, within, before, after, text }`: `within` is the
 * function's name, `text` the whole file.
 */
export function mutantsOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const mutants = []
  const change = (node, after) => {
    const [start, end] = [node.getStart(tree), node.getEnd()]
    const { line, character } = tree.getLineAndCharacterOfPosition(start)
    const before = source.slice(start, end)
    const text = source.slice(0, start) + after + source.slice(end)
    const place = { file, line: line + 1, column: character + 1, within: functionAround(node) }
    mutants.push({ ...place, before: short(before), after: short(after), text })
  }
  const visit = (node) => {
    if (isType(node) || isTuned(node)) return
    if (ts.isBinaryExpression(node)) {
      const operator = OPERATORS.get(node.operatorToken.kind)
      if (operator !== undefined && !joinsText(node)) change(node.operatorToken, operator)
    } else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition
      change(condition, `!(${condition.getText(tree)})`)
    } else if (ts.isNumericLiteral(node)) change(node, String(Number(node.text) + 1))
    else if (node.kind === ts.SyntaxKind.TrueKeyword) change(node, 'false')
    else if (node.kind === ts.SyntaxKind.FalseKeyword) change(node, 'true')
    else if (ts.isPropertyAccessExpression(node) && node.expression.getText(tree) === 'Math') {
      const other = FUNCTIONS.get(node.name.text)
      if (other !== undefined) change(node.name, other)
    } else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
      if (node.expression.expression.kind !== ts.SyntaxKind.SuperKeyword) change(node, ';')
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return mutants
}

/** The name of the function or method around a place, as V8 has it; '' where a module's own statements are around it. */
function functionAround(node) {
  for (let each = node; !ts.isSourceFile(each); each = each.parent) {
    const { parent } = each
    if (ts.isPropertyDeclaration(each)) return '<instance_members_initializer>'
    if (ts.isConstructorDeclaration(each)) return parent.name?.text ?? ''
    if (!ts.isFunctionLike(each)) continue
    if (each.name !== undefined) return each.name.text
    if (ts.isVariableDeclaration(parent) && ts.isSourceFile(parent.parent.parent.parent))
      return parent.name.text
  }
  return ''
}

/** What does not run: types, imports, names of properties. */
function isType(node) {
  return ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)
}

/** `const SLICE_BYTES = 1 << 16`: one more or less of most of them is no defect. */
function isTuned(node) {
  if (!ts.isVariableDeclaration(node) || !ts.isSourceFile(node.parent.parent.parent)) return false
  return ts.isIdentifier(node.name) && /^[A-Z_]+$/.test(node.name.text) && isNumber(node.initializer)
}

function isNumber(node) {
  return (
    ts.isNumericLiteral(node) ||
    (ts.isPrefixUnaryExpression(node) && isNumber(node.operand)) ||
    (ts.isBinaryExpression(node) && isNumber(node.left) && isNumber(node.right))
  )
}

function joinsText(node) {
  const isText = (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side)
  return isText(node.left) || isText(node.right)
}

function short(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 60)}…` : line
}
