import assert from 'node:assert/strict'
import { join, normalize } from 'node:path'
import { filesOfRepository, readFromRoot } from './documents.js'

const CODE = /^(lib|server|packages\/\w+\/src|examples)\/.*\.ts$/
/** Files of which every export is public, or which export public names from other files. */
const FACES =
  /^(lib\/((index|sealing)|(client|engine)\/index|mcp\/mcp|adapters\/[a-z-]+)|packages\/\w+\/src\/index)\.ts$/
/** How many sentences without a subject the other files may have together. */
const MOST = 12

/** A subject that names nothing, of a sentence or a clause: "Those of these ids", "What is read of it", "; one that is left". */
const BARE =
  /(?:^(?:\w+s )?|[;:] (?:and |or )?)(the )?(those|ones?|none|what|whatever|whoever)( of them)? (of|that|which|who|whose|is|are|was|were|has|have|had|may|must|can|cannot|does|do|stands?|comes?|with|without|in|to which)\b(?! wrong)/i

/** Words that name nothing, without endings. A sentence of four words or more that has no other one has no noun. */
const NAMELESS = new Set(
  `a about above absent across add after again ago all allow alone already also although always an and announc
  another any anybody anything apart appl are as ask at away back be because become been before begin begun behind
  belong below besides between both but by can cannot chang clos come cost could count cover depend did differ
  different do does done drop each earlier either else empty enough every everyone everything everywhere fail
  false far few first fit follow for forever forget forgot forgotten found from gather gave get giv give given go
  gone got had happen has hav have he held here hold how if in instead into is it its itself just keep kept know
  known lack last later lay lead least leave left less let lie like little long longer lose lost lower mad made
  make many mark match may mean meant meanwhile meet met miss more most move much must need neither never new
  newer next no nobody none nor not nothing now null of off often old older on once one only open or other
  otherwise out over own pass per perhaps put quick ran rather read ready refus remain remember remov repeat
  replac return run said same sav saw say second see seen send sent serv set settl share she show shown since slow
  so some something soon sort spent stand stay still stood stop stor such tak take taken tell than that the their
  theirs them themselves then there these they this those though three throw thrown to together told too took
  treat tri true try turn twice two undefined unless until up upper us very wait want was we well went were what
  whatever when where whether which while who whoever whole whom whose why will with within without would writ
  written wrote yet you`.split(/\s+/),
)
const isNameless = (word: string) => NAMELESS.has(word) || NAMELESS.has(word.replace(/(ing|ies|ed|es|s)$/, ''))

/** The sentences of the comments of a file. Code counts as a noun. */
function sentencesOf(text: string): string[] {
  const comments = text.matchAll(/^[ \t]*\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/ .*\n)+)|\S[ \t]+\/\/ (.*)$/gm)
  return [...comments].flatMap(([, block, lines, trailing]) =>
    (block ?? lines ?? trailing ?? '')
      .replace(/@example[\s\S]*/, '')
      .replace(/^[ \t]*(\*|\/\/) ?/gm, '')
      .replace(/\{@link [^}]*\}|`[^`]*`/g, code => code.replace(/[.!?]/g, '')) // no sentence ends within code
      .split(/(?<=[.!?])\s+|\n\s*\n|^(?=[-@])/m)
      .map(sentence =>
        sentence
          .replace(/^\s*@\w+( \S+ -)?/, '')
          .replace(/\s+/g, ' ')
          .trim(),
      ),
  )
}

function isWithoutNoun(sentence: string): boolean {
  const words =
    sentence
      .replace(/\{@link [^}]*\}|`[^`]*`/g, 'CODE')
      .toLowerCase()
      .match(/[a-z']+/g) ?? []
  return BARE.test(sentence) || (words.length > 3 && words.every(isNameless))
}

describe('sentences of comments', () => {
  it('name what they are about', async () => {
    const files = await filesOfRepository('.ts')
    const texts = await Promise.all(
      files.filter(file => CODE.test(file)).map(async file => [file, await readFromRoot(file)] as const),
    )
    const faces = texts.filter(([file]) => FACES.test(file))
    const exported = faces.flatMap(([file, text]) =>
      [...text.matchAll(/^export [^']*? from '(\.[^']+)\.js'/gm)].map(([, to]) =>
        normalize(join(file, '..', `${to}.ts`)),
      ),
    )
    const isPublic = new Set([...faces.map(([file]) => file), ...exported])
    const found = texts.flatMap(([file, text]) =>
      sentencesOf(text)
        .filter(isWithoutNoun)
        .map(sentence => ({ file, sentence })),
    )
    const print = (offenders: typeof found) => offenders.map(({ file, sentence }) => `${file}: ${sentence}`).join('\n')
    const [open, inner] = [
      found.filter(({ file }) => isPublic.has(file)),
      found.filter(({ file }) => !isPublic.has(file)),
    ]
    assert.ok(texts.length > 400 && isPublic.size > 40)
    assert.equal(print(open), '')
    assert.ok(inner.length <= MOST, `${inner.length} sentences have no noun:\n${print(inner)}`)
  })
})
