-- Initial canned answers; staff change them and add their own.
INSERT INTO players_cannedanswer (title, english, hindi, is_offered) VALUES
    ('We are looking into it',
     'Thank you for writing. We are looking into it and will answer you here.',
     'लिखने के लिए धन्यवाद। हम इसे देख रहे हैं और आपको यहीं उत्तर देंगे।', true),
    ('Withdrawal is late',
     'Your withdrawal takes longer than we promised. Your money is safe, and we will write to you as soon as it is on its way.',
     'आपकी निकासी में हमारे वादे से अधिक समय लग रहा है। आपका पैसा सुरक्षित है, और उसके भेजे जाते ही हम आपको लिखेंगे।', true),
    ('The deal ran as it should',
     'We have replayed the deal step by step. It ran by the rules, so its result stands. You can replay it yourself from your history.',
     'हमने यह बाज़ी चरण दर चरण दोबारा देखी। वह नियमों के अनुसार चली, इसलिए उसका परिणाम बना रहता है। आप इसे अपने इतिहास से स्वयं दोबारा देख सकते हैं।', true),
    ('We need a document',
     'To go on we need a document from you. Please answer here, and we will tell you how to send it safely.',
     'आगे बढ़ने के लिए हमें आपसे एक दस्तावेज़ चाहिए। कृपया यहीं उत्तर दें, हम बताएँगे कि उसे सुरक्षित कैसे भेजें।', true);
