"""Random lines of text: words of many scripts, emoji, accents, code, digits, blanks and control characters."""
import random
import string

SYLLABLES = "ba be bi bo bu ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu an en in on un er al est ing tion th sh ch".split()
PHRASES = [
    "don't", "can't", "won't", "I'm", "they've", "we'll", "he'd", "it's", "DON'T", "IT'S", "¿Qué tal?", "l'été", "déjà-vu", "naïve", "Straße", "ﬁnal ﬂow", "½ ™ ©", "İstanbul", "ǅ ǆ",
    "3.14159e-10", "1,234,567", "0xFF", "2024-11-30", "http://a.b/c?d=e&f=g", "foo_bar(x)->y[3];", "if (a <= b) { return \"s\\n\"; }", "for i := range n {", "# comment", "a@b.co", "C++", "--flag=on",
    "日本語のテスト", "東京2024", "한국어 문장", "Привет мир йод", "Ελληνικά", "مرحبا بالعالم", "שלום", "नमस्ते दुनिया", "ไทยแลนด์", "বাংলা", "தமிழ்", "ქართული", "አማርኛ", "Việt Nam", "ＦＵＬＬ ｗｉｄｔｈ", "ｶﾀｶﾅ",
    "😀", "👩‍👩‍👧", "👍🏽", "🇫🇷", "❤️", "1️⃣", "\u200bzero\u200dwidth", "e\u0301", "a\u0323\u0302", "A\u030a", "\u1e9b\u0323", "\u0344", "각", "\u1100\u1161\u11a8",
    "[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "<s>", "</s>", "<unk>", "<|endoftext|>", "##ing", "▁", "Ġ", "<0x41>",
]
BLANKS = [" ", "  ", "\t", "\n", "\r\n", "\n\n", "\u00a0", "\u3000", "\u2028", "\u200a", "\x0b", "\x0c", "\x85", "   ", " \n "]
CONTROLS = ["\x00", "\x01", "\x1b", "\x7f", "\x9f", "\ufffd", "\ufeff", "\u00ad", "\u202e", "\ue000", "\U000e0001", "\u0378"]
BLOCKS = [(0x20, 0x7E), (0xA0, 0x17F), (0x180, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F), (0x590, 0x5F4), (0x600, 0x6FF), (0x900, 0x97F), (0xE00, 0xE5B), (0x1E00, 0x1EFF), (0x2000, 0x206F), (0x2070, 0x218F), (0x2190, 0x2BFF), (0x3000, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFFEF), (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF)]


def word(r):
    kind = r.random()
    if kind < 0.45:
        w = "".join(r.choice(SYLLABLES) for _ in range(r.randint(1, 4)))
        return r.choice([w, w, w.capitalize(), w.upper()])
    if kind < 0.65:
        return r.choice(PHRASES)
    if kind < 0.75:
        return str(r.randint(0, 10 ** r.randint(1, 9)))
    if kind < 0.8:
        return "".join(r.choice(string.punctuation) for _ in range(r.randint(1, 4)))
    if kind < 0.83:
        return r.choice(CONTROLS)
    if kind < 0.97:
        low, high = r.choice(BLOCKS)
        return "".join(chr(r.randint(low, high)) for _ in range(r.randint(1, 5)))
    c = r.randint(0, 0x10FFFF)
    return chr(c) if not 0xD800 <= c <= 0xDFFF else "x"


def line(r, most=12):
    out = []
    for _ in range(r.randint(0, most)):
        out.append(word(r))
        if r.random() < 0.75:
            out.append(" " if r.random() < 0.8 else r.choice(BLANKS))
    return "".join(out)


def lines(seed, n, most=12):
    r = random.Random(seed)
    return [line(r, most) for _ in range(n)]
