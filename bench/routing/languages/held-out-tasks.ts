/**
 * Sixty tasks that decide: written after the dictionary and its everyday words were finished, by somebody who had read neither, and counted
 * before anything else was changed. They are never listed by `--show`, and no word is added to the dictionary because of them.
 */
import type { TaskLanguage } from "./language-tasks.ts";

type Foreign = Exclude<TaskLanguage, "en">;

export const HELD_OUT_TASKS: Readonly<
  Record<Foreign, readonly (readonly [task: string, capability: string])[]>
> = {
  de: [
    ["Wandle vertrag.docx in ein PDF um", "documents"],
    ["Übersetze brief.txt ins Englische", "translator"],
    ["Suche in meinen E-Mails nach der Rechnung von Telekom", "mail"],
    ["Trag für Donnerstag um 14 Uhr ein Treffen mit Julia in den Kalender ein", "calendar"],
    ["Stelle eine Rechnung über 450 Euro für Müller GmbH aus", "invoices"],
    ["Wie viel sind 80 Dollar in Euro?", "currency"],
    ["Verkleinere das Bild urlaub.jpg auf 800 Pixel", "images"],
    ["Erinnere mich morgen daran, die Blumen zu gießen", "reminders"],
    ["Entpacke die Datei fotos.zip", "archive"],
    ["Wie lautet die Telefonnummer von Anna Schmidt?", "contacts"],
  ],
  es: [
    ["Convierte informe.pdf a Word", "documents"],
    ["Traduce este contrato al inglés: contrato.txt", "translator"],
    ["Envía un correo a luis@example.com con el asunto Reunión", "mail"],
    ["¿Qué citas tengo el martes?", "calendar"],
    ["Crea una factura de 300 euros para Acme", "invoices"],
    ["Cambia 200 libras a pesos mexicanos", "currency"],
    ["Gira la foto playa.png 90 grados", "images"],
    ["Recuérdame llamar al médico a las cinco", "reminders"],
    ["Comprime la carpeta proyecto en un zip", "archive"],
    ["Busca el teléfono de Carmen Ruiz en mis contactos", "contacts"],
  ],
  fr: [
    ["Fusionne a.pdf et b.pdf", "documents"],
    ["Traduis lettre.txt en allemand", "translator"],
    ["Ai-je de nouveaux courriels ?", "mail"],
    ["Ajoute un rendez-vous avec Paul vendredi à 10 h dans mon agenda", "calendar"],
    ["Quelles factures ne sont pas encore payées ?", "invoices"],
    ["Combien valent 50 euros en yens ?", "currency"],
    ["Redimensionne la photo chat.jpg", "images"],
    ["Rappelle-moi demain de payer le loyer", "reminders"],
    ["Décompresse archive.zip", "archive"],
    ["Quel est le numéro de téléphone de Marie Dupont ?", "contacts"],
  ],
  pt: [
    ["Converta relatorio.docx para PDF", "documents"],
    ["Traduza carta.txt para o inglês", "translator"],
    ["Procure nos meus e-mails a mensagem do banco", "mail"],
    ["Marque uma reunião com o João na segunda-feira às 9 horas", "calendar"],
    ["Emita uma fatura de 120 euros para a Silva Ltda", "invoices"],
    ["Quanto são 100 reais em dólares?", "currency"],
    ["Converta a imagem logo.png para jpeg", "images"],
    ["Lembre-me de comprar leite amanhã", "reminders"],
    ["Compacte a pasta fotos", "archive"],
    ["Qual é o telefone da Beatriz Costa?", "contacts"],
  ],
  ja: [
    ["report.pdfをWordに変換して", "documents"],
    ["letter.txtを英語に翻訳してください", "translator"],
    ["田中さんからのメールを探して", "mail"],
    ["明日の午後3時に会議を予定に入れて", "calendar"],
    ["未払いの請求書を見せて", "invoices"],
    ["100ドルは何円ですか", "currency"],
    ["写真cat.jpgを小さくして", "images"],
    ["明日牛乳を買うようにリマインドして", "reminders"],
    ["photos.zipを解凍して", "archive"],
    ["山田さんの電話番号を教えて", "contacts"],
  ],
  zh: [
    ["把report.docx转换成PDF", "documents"],
    ["把letter.txt翻译成英文", "translator"],
    ["在我的邮件里搜索银行的信", "mail"],
    ["周五下午两点安排一个会议", "calendar"],
    ["给阿里公司开一张500元的发票", "invoices"],
    ["100美元等于多少欧元？", "currency"],
    ["把图片cat.png缩小到一半", "images"],
    ["明天提醒我交房租", "reminders"],
    ["解压photos.zip", "archive"],
    ["王伟的电话号码是多少？", "contacts"],
  ],
};
