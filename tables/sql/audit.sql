-- placeholder
SELECT ''::text, ''::text, ''::text WHERE false
