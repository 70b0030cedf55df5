package lexeme

import "strings"

// Attributes and types in a syntax of their own are kept as text, on one line
// and without comments.

// Squeeze makes every run of spaces and comments outside strings one space.
func Squeeze(s string) string {
	if strings.IndexAny(s, "\n\t\r") < 0 && !strings.Contains(s, "  ") {
		return s // a comment would end with its line
	}
	var b strings.Builder
	space := false
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			space = true
			i++
			continue
		case strings.HasPrefix(s[i:], "//"):
			space = true
			i = commentEnd(s, i)
			continue
		case space:
			b.WriteByte(' ')
			space = false
		}
		end := i + 1
		if s[i] == '"' {
			end = stringEnd(s, i)
		}
		b.WriteString(s[i:end])
		i = end
	}
	return b.String()
}

// Tidy removes spaces and comments outside strings from a literal and puts one
// space behind each comma, and between slashes, which would begin a comment.
func Tidy(s string) string {
	if !strings.ContainsAny(s, "\n\t\r /,") {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		end := i + 1
		switch c := s[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		case strings.HasPrefix(s[i:], "//"):
			end = commentEnd(s, i)
		case c == '"':
			end = stringEnd(s, i)
			b = append(b, s[i:end]...)
		case c == ',':
			b = append(b, ", "...)
		case c == '/' && len(b) > 0 && b[len(b)-1] == '/':
			b = append(b, " /"...)
		default:
			b = append(b, c)
		}
		i = end
	}
	return string(b)
}

// Uncomment puts spaces for comments outside strings, so that all else keeps
// its place.
func Uncomment(s string) string {
	if !strings.Contains(s, "//") {
		return s
	}
	b := []byte(s)
	for i := 0; i < len(s); {
		switch {
		case s[i] == '"':
			i = stringEnd(s, i)
		case strings.HasPrefix(s[i:], "//"):
			for end := commentEnd(s, i); i < end; i++ {
				b[i] = ' '
			}
		default:
			i++
		}
	}
	return string(b)
}

// commentEnd is where the comment that starts at i ends: at its line's end.
func commentEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

// stringEnd is where the string that starts at i ends, behind its quote.
func stringEnd(s string, i int) int {
	for i++; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(s))
}
