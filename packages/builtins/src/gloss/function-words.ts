/**
 * Function words and what they are in English. The router reads the phrasing of a task from them ("I need", "my", "why do"), and "all",
 * "how many" and "off" tell tools apart. `-`: no English word, and no dictionary word either.
 */
import type { EuropeanLanguage } from "./word-keys.ts";

const table = (lines: string): ReadonlyMap<string, string> =>
  new Map(
    lines
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [english = "", ...words] = line.trim().split(/\s+/);
        return words.map((word) => [word, english === "-" ? "" : english.replaceAll("_", " ")] as const);
      }),
  );

/** Keys are without accents, as `plainWord` makes them. */
export const FUNCTION_MEANINGS: Readonly<Record<EuropeanLanguage, ReadonlyMap<string, string>>> = {
  de: table(`
    - der das dem den des die ein eine einen einem einer eines zu dass daran es so sich man denn doch mal eben auch noch schon gerade im am an bei zum zur vom als ob da
    i ich
    me mir mich
    my mein meine meinem meinen meiner meines
    we wir
    us uns
    our unser unsere unseren unserem
    you du dir dich ihr ihnen
    your dein deine deinen deinem deiner
    he er
    she sie
    - und
    - oder
    not nicht kein keine keinen
    is ist sind war wird werden wurde lautet stehen steht
    have habe haben hat hast hatte
    can kann kannst konnen konnte konntest
    want will mochte mochten willst mochtest
    need brauche brauchen brauchst
    should soll sollte sollen
    must muss mussen
    please bitte
    - fur
    - von aus
    - auf
    - unter
    - bis
    - mit
    - ins
    - um
    - nach
    - uber
    all alle aller allen alles
    which welche welcher welches welchen
    what was
    how wie
    how_many wieviel wieviele
    many viele viel
    who wer wen wem
    where wo wohin woher
    when wann
    why warum wieso weshalb
    this dieser diese dieses diesen diesem
    here hier
    there gibt
  `),
  es: table(`
    - el la los las un una unos unas de del al que se le les lo te ha he han esta estan estar era ser muy ya si
    i yo
    me me
    my mi mis
    we nosotros
    us nos
    our nuestro nuestra nuestros nuestras
    you tu usted ustedes
    your tus su sus
    - y e
    - o u
    not no
    is es son soy estoy sera sido
    have tengo tener tiene tienes tenemos
    can puede puedes puedo poder podria podrias
    want quiero quiere quisiera quieres
    need necesito necesita necesitamos necesitas
    must debo debe
    like gustaria
    please favor
    - para
    - por
    - en
    - con
    - sin
    all todo toda todos todas
    which cual cuales
    how como
    how_many cuantos cuantas
    how_much cuanto cuanta
    who quien quienes
    where donde
    when cuando
    this este esto estos estas
    that ese esa eso aquel
    some algun alguna algunos algunas algo
    more mas
    there hay
    here aqui
  `),
  fr: table(`
    - le la les un une des du de que en y ne se l d j m n s t c a au aux ca t-il est-il est-elle sont-ils sont-elles ete etre il elle on ils elles y-a il-y-a est-ce
    i je
    me moi me
    my mon ma mes
    we nous
    us nous
    our notre nos
    you tu vous toi te
    your ton ta tes votre vos
    - et
    - ou
    not pas
    is est sont suis sommes etes sera
    have ai as avons avez ont avoir eu
    can peux peut pouvez peux-tu pouvez-vous pourrais pourriez pouvoir
    want veux veut voudrais voudrait aimerais souhaite
    need besoin faut
    must dois doit devons
    please plait
    - pour
    - par
    - dans
    - sur
    - avec
    - sans
    all tous toutes tout toute
    which quel quelle quels quelles
    what quoi
    how comment
    how_many combien
    who qui
    where où
    when quand
    why pourquoi
    this ce cette ces cet
    here ici voici
    more plus
  `),
  pt: table(`
    - o os as a um uma uns umas de do da dos das que se ao aos ha foi ser estar esta estao muito ja ai la te lhe
    i eu
    me me mim
    my meu minha meus minhas
    we nos
    our nosso nossa nossos nossas
    you voce voces tu
    your seu sua seus suas teu tua
    - e
    - ou
    not nao
    is sao estou sou era
    have tenho tem ter temos
    can pode podes posso poder poderia consegue
    want quero quer queria gostaria
    need preciso precisa precisamos
    must devo deve
    please favor
    - para pra pro
    - por
    - em no na nos nas
    - com
    - sem
    all todo toda todos todas
    which qual quais
    how como
    how_many quantos quantas
    how_much quanto quanta
    who quem
    where onde
    when quando
    why porque
    this este esta isso isto esse essa estes
    some algum alguma alguns algumas
    more mais
    here aqui
  `),
};

/** Particles, measure words and question words of languages without spaces. */
export const PARTICLE_MEANINGS: Readonly<Record<"ja" | "zh", ReadonlyMap<string, string>>> = {
  ja: table(`
    - です ます でした ました でしょうか ですか ますか します しました する した して いる ある あり あります から まで には では とは という ので ため について として 一つ 一枚 一本
    want したい たい 欲しい ほしい
    please ください 下さい お願い お願いします
    tell_me 教えて 教えてください
    what 何 なに 何が 何を
    when いつ
    where どこ どこで どこに
    who 誰 だれ
    why なぜ どうして
    how どう どうやって どうですか
    how_many いくつ いくら 何個 何人
    which どの どれ どちら
    all すべて 全て 全部
    i 私 わたし
    my 私の わたしの
  `),
  zh: table(`
    - 的 了 着 过 吗 呢 吧 啊 呀 把 被 是 为 到 都 就 也 还 在 给 从 对 和 与 及 而 之 将 以 得 地 很 再 快 这 那 这个 那个 一 一个 一下 一些 个 张 份 辆 条 件 首 台 只 本 位 次 套 一张 一份 一条 一辆 一首 一台 一套 这份 这张
    i 我
    my 我的
    me 帮我 给我
    we 我们
    you 你 您
    your 你的 您的
    want 想 要 想要 我想 我要
    need 需要
    please 请
    can 能 可以 能不能
    not 不 没 没有
    what 什么
    how 怎么 如何 怎样 怎么样
    how_many 多少 几个
    who 谁
    where 哪里 哪儿
    when 什么时候 何时
    why 为什么 为何
    which 哪些 哪个 哪
    all 所有 所有的 全部
  `),
};
